// my db · public.Select · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const select = table(source, {
  schema: "public",
  name: "Select",
  kind: "table",
  graphqlName: "Select",
  columns: {
    id: { type: "int4", notNull: true },
  },
  primaryKey: { name: "Select_pkey", columns: ["id"] },
}, standardFields("Select"));

export type Select = Row<typeof select>;
export type SelectWhere = Where<typeof select>;
