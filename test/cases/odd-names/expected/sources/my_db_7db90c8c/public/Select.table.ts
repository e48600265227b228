// my db · public.Select · shape
import { table } from "engine/contract";
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
});
