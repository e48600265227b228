// default · public.customer · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const customer = table(source, {
  schema: "public",
  name: "customer",
  kind: "table",
  graphqlName: "customer",
  description: "Someone who asks",
  columns: {
    id: { type: "int4", notNull: true, hasDefault: true },
    tenant_id: { type: "int4", notNull: true },
    name: { type: "text", notNull: true },
    email: { type: "text", notNull: true },
    phone: { type: "text" },
    is_verified: {
      type: "bool",
      notNull: true,
      hasDefault: true,
      description: "The address was confirmed; opens the articles for customers",
    },
    internal_notes: { type: "text", description: "What agents know about the customer and the customer must not read" },
    created_at: { type: "timestamptz", notNull: true, hasDefault: true },
  },
  relationships: {
    article_feedback: { kind: "array", target: "public.article_feedback", columns: { id: "customer_id" } },
    tenant: { kind: "object", target: "public.tenant", columns: { tenant_id: "id" }, notNull: true, unique: true },
    tickets: { kind: "array", target: "public.ticket", columns: { id: "customer_id" } },
  },
  primaryKey: { name: "customer_pkey", columns: ["id"] },
  unique: { customer_tenant_id_email_key: ["tenant_id", "email"] },
  onDelete: { "public.tenant": "cascade" },
}, standardFields("customer"));

export type Customer = Row<typeof customer>;
export type CustomerWhere = Where<typeof customer>;
