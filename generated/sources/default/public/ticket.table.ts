// default · public.ticket · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const ticket = table(source, {
  schema: "public",
  name: "ticket",
  kind: "table",
  graphqlName: "ticket",
  description: "A question and everything that followed from it",
  columns: {
    id: { type: "int4", notNull: true, hasDefault: true },
    tenant_id: { type: "int4", notNull: true },
    customer_id: { type: "int4", notNull: true },
    team_id: { type: "int4", description: "Nobody's yet while null: every agent of the tenant may pick it up" },
    assignee_id: { type: "int4" },
    subject: { type: "text", notNull: true },
    status: { type: "text", notNull: true, hasDefault: true, enumTable: "public.ticket_status" },
    priority: { type: "text", notNull: true, hasDefault: true, enumTable: "public.ticket_priority" },
    channel: { type: "text", notNull: true, hasDefault: true },
    created_at: { type: "timestamptz", notNull: true, hasDefault: true },
    updated_at: { type: "timestamptz", notNull: true, hasDefault: true },
    solved_at: { type: "timestamptz" },
  },
  relationships: {
    assignee: { kind: "object", target: "public.agent", columns: { assignee_id: "id" }, unique: true },
    customer: { kind: "object", target: "public.customer", columns: { customer_id: "id" }, notNull: true, unique: true },
    events: { kind: "array", target: "public.ticket_event", columns: { id: "ticket_id" } },
    messages: { kind: "array", target: "public.message", columns: { id: "ticket_id" } },
    rating: { kind: "object", target: "public.rating", columns: { id: "ticket_id" }, unique: true, insertAfter: true },
    tags: { kind: "array", target: "public.ticket_tag", columns: { id: "ticket_id" } },
    team: {
      kind: "object",
      target: "public.team",
      columns: { tenant_id: "tenant_id", team_id: "id" },
      unique: true,
    },
    tenant: { kind: "object", target: "public.tenant", columns: { tenant_id: "id" }, notNull: true, unique: true },
  },
  computedFields: {
    hours_to_solve: {
      function: { schema: "public", name: "ticket_hours_to_solve" },
      tableArgument: 0,
      arguments: [{ name: "ticket", type: "public.ticket" }],
      returns: { type: "numeric" },
      bodyHash: "ac13f953eb0f5405261f39d9615d7aa3",
      below: { reads: { "public.ticket": ["created_at", "solved_at"] } },
      description: "Hours from the question to the solution; null until then",
    },
  },
  primaryKey: { name: "ticket_pkey", columns: ["id"] },
  references: [
    { columns: ["priority"], target: "public.ticket_priority" },
    { columns: ["status"], target: "public.ticket_status" },
  ],
  onDelete: { "public.agent": "set null", "public.customer": "cascade", "public.tenant": "cascade" },
}, standardFields("ticket"));

export type Ticket = Row<typeof ticket>;
export type TicketWhere = Where<typeof ticket>;
