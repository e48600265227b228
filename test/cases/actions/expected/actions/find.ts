// action find · query
import { action } from "engine/contract";
import type { Blob, Fitting, Person } from "./types.ts";

/** The handler's `input`. */
export interface FindInput {
  person: Person;
  blob?: Blob | null;
}

/** The handler's answer; all of it is checked against this type. */
export type FindOutput = Fitting[];

export const findAction = action({
  name: "find",
  type: "query",
  kind: "synchronous",
  arguments: {
    person: { type: "Person!" },
    blob: { type: "Blob" },
  },
  output: "[Fitting!]!",
  handler: "https://handler.test/find",
  headers: [{ name: "X-Key", value: "constant" }],
  forwardClientHeaders: true,
  timeout: 30,
  requestTransform: {
    version: 2,
    url: "{{$base_url}}/{{$body.input.person.name}}",
    body: { action: "transform", template: "{\"m\": {{$body.input.person?.mood}}}" },
  },
  roles: ["guest", "user"],
});
