// default · public.tag · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const tag = table(source, {
  schema: "public",
  name: "tag",
  kind: "table",
  graphqlName: "tag",
  description: "A word a tenant sorts its tickets by",
  columns: {
    id: { type: "int4", notNull: true, hasDefault: true },
    tenant_id: { type: "int4", notNull: true },
    name: { type: "text", notNull: true },
    color: { type: "text", notNull: true, hasDefault: true },
  },
  relationships: {
    tenant: { kind: "object", target: "public.tenant", columns: { tenant_id: "id" }, notNull: true, unique: true },
    tickets: { kind: "array", target: "public.ticket_tag", columns: { id: "tag_id" } },
  },
  primaryKey: { name: "tag_pkey", columns: ["id"] },
  unique: { tag_tenant_id_name_key: ["tenant_id", "name"] },
  onDelete: { "public.tenant": "cascade" },
}, standardFields("tag"));

export type Tag = Row<typeof tag>;
export type TagWhere = Where<typeof tag>;
