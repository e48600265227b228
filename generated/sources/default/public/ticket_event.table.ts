// default · public.ticket_event · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const ticketEvent = table(source, {
  schema: "public",
  name: "ticket_event",
  kind: "table",
  graphqlName: "ticket_event",
  description: "What happened to a ticket and who did it",
  columns: {
    id: { type: "int8", notNull: true, hasDefault: true, generated: true },
    ticket_id: { type: "int4", notNull: true },
    agent_id: { type: "int4", description: "Null when the customer or a rule did it" },
    kind: { type: "text", notNull: true },
    details: { type: "jsonb", notNull: true, hasDefault: true },
    created_at: { type: "timestamptz", notNull: true, hasDefault: true },
  },
  relationships: {
    agent: { kind: "object", target: "public.agent", columns: { agent_id: "id" }, unique: true },
    ticket: { kind: "object", target: "public.ticket", columns: { ticket_id: "id" }, notNull: true, unique: true },
  },
  primaryKey: { name: "ticket_event_pkey", columns: ["id"] },
  onDelete: { "public.agent": "set null", "public.ticket": "cascade" },
}, {
  query: { ticket_event: "select", ticket_event_by_pk: "select_by_pk", ticket_event_aggregate: "select_aggregate" },
  subscription: { ticket_event_stream: "select_stream" },
  mutation: {
    insert_ticket_event: "insert",
    insert_ticket_event_one: "insert_one",
    update_ticket_event: "update",
    update_ticket_event_by_pk: "update_by_pk",
    update_ticket_event_many: "update_many",
    delete_ticket_event: "delete",
    delete_ticket_event_by_pk: "delete_by_pk",
  },
});

export type TicketEvent = Row<typeof ticketEvent>;
export type TicketEventWhere = Where<typeof ticketEvent>;
