// default · public.ticket_status · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const ticketStatus = table(source, {
  schema: "public",
  name: "ticket_status",
  kind: "table",
  graphqlName: "ticket_status",
  description: "The stations of a ticket",
  columns: {
    value: { type: "text", notNull: true },
    comment: { type: "text", notNull: true },
  },
  primaryKey: { name: "ticket_status_pkey", columns: ["value"] },
  enumValues: {
    closed: "Done for good",
    open: "Waits for an agent",
    pending: "Waits for the customer",
    solved: "Answered; the customer may reopen it",
  },
}, standardFields("ticket_status"));

export type TicketStatus = Row<typeof ticketStatus>;
export type TicketStatusWhere = Where<typeof ticketStatus>;
