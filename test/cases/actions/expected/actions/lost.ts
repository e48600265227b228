// action lost · mutation
import { action } from "engine/contract";
import type { Doubtful, Person } from "./types.ts";

/** The handler's `input`. */
export interface LostInput {
  person?: Person | null;
}

/** The handler's answer; all of it is checked against this type. */
export type LostOutput = Doubtful | null;

export const lostAction = action({
  name: "lost",
  type: "mutation",
  kind: "synchronous",
  arguments: {
    person: { type: "Person" },
  },
  output: "Doubtful",
  handler: "https://handler.test/lost",
  timeout: 30,
  requestTransform: { version: 2, body: { action: "transform", template: "{{$body.input.person.nam}}" } },
  roles: [],
});
