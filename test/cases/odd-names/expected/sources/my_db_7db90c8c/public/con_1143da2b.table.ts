// my db · public.con · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const con = table(source, {
  schema: "public",
  name: "con",
  kind: "table",
  graphqlName: "con",
  columns: {
    id: { type: "int4", notNull: true },
  },
  primaryKey: { name: "con pkey", columns: ["id"] },
  notInferable: ["con pkey"],
}, standardFields("con"));

export type Con = Row<typeof con>;
export type ConWhere = Where<typeof con>;
