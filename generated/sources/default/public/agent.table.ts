// default · public.agent · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const agent = table(source, {
  schema: "public",
  name: "agent",
  kind: "table",
  graphqlName: "agent",
  description: "Someone who answers tickets",
  columns: {
    id: { type: "int4", notNull: true, hasDefault: true },
    tenant_id: { type: "int4", notNull: true },
    name: { type: "text", notNull: true },
    email: { type: "text", notNull: true },
    signature: { type: "text" },
    is_active: { type: "bool", notNull: true, hasDefault: true },
    hourly_cost: { type: "numeric", description: "In euros; for managers only" },
    password_hash: { type: "text", notNull: true, description: "Never leaves the database: no role may select it" },
    created_at: { type: "timestamptz", notNull: true, hasDefault: true },
  },
  relationships: {
    articles: { kind: "array", target: "public.article", columns: { id: "author_id" } },
    assigned_tickets: { kind: "array", target: "public.ticket", columns: { id: "assignee_id" } },
    memberships: { kind: "array", target: "public.team_member", columns: { id: "agent_id" } },
    messages: { kind: "array", target: "public.message", columns: { id: "author_agent_id" } },
    tenant: { kind: "object", target: "public.tenant", columns: { tenant_id: "id" }, notNull: true, unique: true },
  },
  primaryKey: { name: "agent_pkey", columns: ["id"] },
  unique: { agent_email_key: ["email"] },
  onDelete: { "public.tenant": "cascade" },
}, standardFields("agent"));

export type Agent = Row<typeof agent>;
export type AgentWhere = Where<typeof agent>;
