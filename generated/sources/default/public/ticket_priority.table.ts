// default · public.ticket_priority · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const ticketPriority = table(source, {
  schema: "public",
  name: "ticket_priority",
  kind: "table",
  graphqlName: "ticket_priority",
  description: "How soon a ticket wants an answer",
  columns: {
    value: { type: "text", notNull: true },
    comment: { type: "text", notNull: true },
  },
  primaryKey: { name: "ticket_priority_pkey", columns: ["value"] },
  enumValues: { high: "Before the others", low: "Whenever there is time", normal: "In turn", urgent: "Now" },
}, standardFields("ticket_priority"));

export type TicketPriority = Row<typeof ticketPriority>;
export type TicketPriorityWhere = Where<typeof ticketPriority>;
