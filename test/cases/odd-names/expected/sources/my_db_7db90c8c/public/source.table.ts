// my db · public.source · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const source_ = table(source, {
  schema: "public",
  name: "source",
  kind: "table",
  graphqlName: "source",
  columns: {
    id: { type: "int4", notNull: true },
  },
  primaryKey: { name: "source_pkey", columns: ["id"] },
  references: [{ columns: ["id"], target: "public.select" }],
}, standardFields("source"));

export type Source_ = Row<typeof source_>;
export type Source_Where = Where<typeof source_>;
