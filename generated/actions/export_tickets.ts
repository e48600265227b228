// action export_tickets · asynchronous mutation
import { action } from "engine/contract";
import type { TicketExport, date } from "./types.ts";

/** The handler's `input`. */
export interface ExportTicketsInput {
  since: date;
}

/** The handler's answer; all of it is checked against this type. */
export type ExportTicketsOutput = TicketExport;

export const exportTicketsAction = action({
  name: "export_tickets",
  description: "Writes all tickets to a file",
  type: "mutation",
  kind: "asynchronous",
  arguments: {
    since: { type: "date!" },
  },
  output: "TicketExport!",
  handler: "{{HELPDESK_HOOKS}}/export-tickets",
  headers: [{ name: "X-Helpdesk-Secret", value: { env: "HELPDESK_HOOKS_SECRET" } }],
  timeout: 30,
  roles: ["manager"],
});
