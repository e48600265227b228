// action suggest_reply · query
import { action } from "engine/contract";
import type { Suggestion } from "./types.ts";

/** The handler's `input`. */
export interface SuggestReplyInput {
  ticket_id: number;
}

/** The handler's answer; all of it is checked against this type. */
export type SuggestReplyOutput = Suggestion;

export const suggestReplyAction = action({
  name: "suggest_reply",
  description: "A first answer to a ticket",
  type: "query",
  kind: "synchronous",
  arguments: {
    ticket_id: { type: "Int!" },
  },
  output: "Suggestion!",
  handler: "{{HELPDESK_HOOKS}}/suggest-reply",
  headers: [{ name: "X-Helpdesk-Secret", value: { env: "HELPDESK_HOOKS_SECRET" } }],
  timeout: 30,
  roles: ["agent"],
});
