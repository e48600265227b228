// my db · public.con · shape
import { table } from "engine/contract";
import { source } from "../source.ts";

export const con = table(source, {
  schema: "public",
  name: "con",
  kind: "table",
  graphqlName: "con",
  columns: {
    id: { type: "int4", notNull: true },
  },
  primaryKey: { name: "con_pkey", columns: ["id"] },
});
