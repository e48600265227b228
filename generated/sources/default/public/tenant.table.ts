// default · public.tenant · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const tenant = table(source, {
  schema: "public",
  name: "tenant",
  kind: "table",
  graphqlName: "tenant",
  description: "A company that runs its support with us",
  columns: {
    id: { type: "int4", notNull: true, hasDefault: true },
    name: { type: "text", notNull: true },
    subdomain: { type: "text", notNull: true, description: "Where its help centre lives: <subdomain>.help.example" },
    plan: { type: "text", notNull: true, hasDefault: true, enumTable: "public.plan" },
    billing_email: { type: "text", notNull: true, description: "Who gets the invoices; for managers only" },
    created_at: { type: "timestamptz", notNull: true, hasDefault: true },
  },
  relationships: {
    agents: { kind: "array", target: "public.agent", columns: { id: "tenant_id" } },
    articles: { kind: "array", target: "public.article", columns: { id: "tenant_id" } },
    categories: { kind: "array", target: "public.category", columns: { id: "tenant_id" } },
    customers: { kind: "array", target: "public.customer", columns: { id: "tenant_id" } },
    teams: { kind: "array", target: "public.team", columns: { id: "tenant_id" } },
    tickets: { kind: "array", target: "public.ticket", columns: { id: "tenant_id" } },
  },
  primaryKey: { name: "tenant_pkey", columns: ["id"] },
  unique: { tenant_subdomain_key: ["subdomain"] },
  references: [{ columns: ["plan"], target: "public.plan" }],
}, standardFields("tenant"));

export type Tenant = Row<typeof tenant>;
export type TenantWhere = Where<typeof tenant>;
