// default · public.ticket_event · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
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
}, standardFields("ticket_event"));

export type TicketEvent = Row<typeof ticketEvent>;
export type TicketEventWhere = Where<typeof ticketEvent>;
