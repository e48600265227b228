// default · public.message · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const message = table(source, {
  schema: "public",
  name: "message",
  kind: "table",
  graphqlName: "message",
  description: "One contribution to a ticket, by the customer or by an agent",
  columns: {
    id: { type: "int4", notNull: true, hasDefault: true },
    ticket_id: { type: "int4", notNull: true },
    author_agent_id: { type: "int4" },
    author_customer_id: { type: "int4" },
    body: { type: "text", notNull: true },
    is_internal: {
      type: "bool",
      notNull: true,
      hasDefault: true,
      description: "A note among agents; the customer never sees it",
    },
    created_at: { type: "timestamptz", notNull: true, hasDefault: true },
  },
  relationships: {
    attachments: { kind: "array", target: "public.attachment", columns: { id: "message_id" } },
    author_agent: { kind: "object", target: "public.agent", columns: { author_agent_id: "id" }, unique: true },
    author_customer: { kind: "object", target: "public.customer", columns: { author_customer_id: "id" }, unique: true },
    ticket: { kind: "object", target: "public.ticket", columns: { ticket_id: "id" }, notNull: true, unique: true },
  },
  primaryKey: { name: "message_pkey", columns: ["id"] },
  onDelete: { "public.agent": "set null", "public.customer": "set null", "public.ticket": "cascade" },
}, standardFields("message"));

export type Message = Row<typeof message>;
export type MessageWhere = Where<typeof message>;
