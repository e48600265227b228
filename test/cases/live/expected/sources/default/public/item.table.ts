// default · public.item · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const item = table(source, {
  schema: "public",
  name: "item",
  kind: "table",
  graphqlName: "item",
  columns: {
    id: { type: "int4", notNull: true },
    app_id: { type: "int4", notNull: true },
    word: { type: "text" },
  },
  relationships: {
    app: { kind: "object", target: "public.app", columns: { app_id: "id" }, notNull: true, unique: true },
  },
  computedFields: {
    loud: {
      function: { schema: "public", name: "shout" },
      tableArgument: 0,
      arguments: [{ name: null, type: "public.item" }],
      returns: { type: "text" },
      bodyHash: "42057476cf572c7908d5edd686cf7aba",
      below: { reads: { "public.item": ["word"] } },
    },
  },
  primaryKey: { name: "item_pkey", columns: ["id"] },
}, standardFields("item"));

export type Item = Row<typeof item>;
export type ItemWhere = Where<typeof item>;
