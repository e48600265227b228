// my db · public.standard_fields · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const standardFields_ = table(source, {
  schema: "public",
  name: "standard_fields",
  kind: "table",
  graphqlName: "standard_fields",
  columns: {
    id: { type: "int4", notNull: true },
  },
  primaryKey: { name: "standard_fields_pkey", columns: ["id"] },
}, standardFields("standard_fields"));

export type StandardFields_ = Row<typeof standardFields_>;
export type StandardFields_Where = Where<typeof standardFields_>;
