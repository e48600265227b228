// default · public.ticket_priority · shape and root fields
import { type Row, table, type Where } from "engine/contract";
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
}, {
  query: {
    ticket_priority: "select",
    ticket_priority_by_pk: "select_by_pk",
    ticket_priority_aggregate: "select_aggregate",
  },
  subscription: { ticket_priority_stream: "select_stream" },
  mutation: {
    insert_ticket_priority: "insert",
    insert_ticket_priority_one: "insert_one",
    update_ticket_priority: "update",
    update_ticket_priority_by_pk: "update_by_pk",
    update_ticket_priority_many: "update_many",
    delete_ticket_priority: "delete",
    delete_ticket_priority_by_pk: "delete_by_pk",
  },
});

export type TicketPriority = Row<typeof ticketPriority>;
export type TicketPriorityWhere = Where<typeof ticketPriority>;
