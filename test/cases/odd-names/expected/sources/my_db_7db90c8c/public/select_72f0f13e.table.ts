// my db · public.select · shape
import { table } from "engine/contract";
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
  primaryKey: { name: "select_pkey", columns: ["id"] },
  relationships: {
    source: { kind: "object", target: "public.source", columns: { id: "id" }, unique: true, insertAfter: true },
  },
});
