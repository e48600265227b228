// my db · public.select · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const myDbSelect = table(source, {
  schema: "public",
  name: "select",
  kind: "table",
  graphqlName: "select",
  columns: {
    id: { type: "int4", notNull: true },
    class: { type: "int4" },
  },
  relationships: {
    source: { kind: "object", target: "public.source", columns: { id: "id" }, unique: true, insertAfter: true },
  },
  primaryKey: { name: "select_pkey", columns: ["id"] },
  unique: { "1st \"key\"": ["class"] },
  notInferable: ["1st \"key\""],
}, standardFields("select"));

export type MyDbSelect = Row<typeof myDbSelect>;
export type MyDbSelectWhere = Where<typeof myDbSelect>;
