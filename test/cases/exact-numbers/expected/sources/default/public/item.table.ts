// default · public.item · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const item = table(source, {
  schema: "public",
  name: "item",
  kind: "table",
  graphqlName: "item",
  columns: {
    id: { type: "int8", notNull: true },
    amount: { type: "numeric" },
    weight: { type: "float8" },
    data: { type: "jsonb" },
  },
  primaryKey: { name: "item_pkey", columns: ["id"] },
}, standardFields("item"));

export type Item = Row<typeof item>;
export type ItemWhere = Where<typeof item>;
