// default · public.category · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const category = table(source, {
  schema: "public",
  name: "category",
  kind: "table",
  graphqlName: "category",
  description: "A shelf of the knowledge base; shelves may stand in shelves",
  columns: {
    id: { type: "int4", notNull: true, hasDefault: true },
    tenant_id: { type: "int4", notNull: true },
    parent_id: { type: "int4" },
    name: { type: "text", notNull: true },
    position: { type: "int4", notNull: true, hasDefault: true },
  },
  relationships: {
    articles: { kind: "array", target: "public.article", columns: { id: "category_id" } },
    children: { kind: "array", target: "public.category", columns: { id: "parent_id" } },
    parent: { kind: "object", target: "public.category", columns: { parent_id: "id" }, unique: true },
    tenant: { kind: "object", target: "public.tenant", columns: { tenant_id: "id" }, notNull: true, unique: true },
  },
  primaryKey: { name: "category_pkey", columns: ["id"] },
  unique: { category_tenant_id_name_key: ["tenant_id", "name"] },
  onDelete: { "public.category": "cascade", "public.tenant": "cascade" },
}, standardFields("category"));

export type Category = Row<typeof category>;
export type CategoryWhere = Where<typeof category>;
