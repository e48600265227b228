// default · public.entry · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const entry = table(source, {
  schema: "public",
  name: "entry",
  kind: "table",
  graphqlName: "entry",
  columns: {
    id: { type: "int4", notNull: true },
    account_id: { type: "int4", notNull: true },
    label: { type: "text" },
  },
  primaryKey: { name: "entry_pkey", columns: ["id"] },
}, standardFields("entry"));

export type Entry = Row<typeof entry>;
export type EntryWhere = Where<typeof entry>;
