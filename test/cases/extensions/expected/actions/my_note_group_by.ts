// action my_note_group_by · query
import { action } from "engine/contract";
import type { mark_group_by_key } from "./types.ts";

/** The handler's `input`. */
export interface MyNoteGroupByInput {
}

/** The handler's answer; all of it is checked against this type. */
export type MyNoteGroupByOutput = mark_group_by_key | null;

export const myNoteGroupByAction = action({
  name: "my_note_group_by",
  type: "query",
  kind: "synchronous",
  arguments: {
  },
  output: "mark_group_by_key",
  handler: "http://localhost",
  timeout: 30,
  roles: [],
});
