// default · public.status · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const status = table(source, {
  schema: "public",
  name: "status",
  kind: "table",
  graphqlName: "status",
  columns: {
    value: { type: "text", notNull: true },
    comment: { type: "text" },
  },
  primaryKey: { name: "status_pkey", columns: ["value"] },
  enumValues: { draft: "Not yet shown", published: "Shown to everybody" },
}, standardFields("status"));

export type Status = Row<typeof status>;
export type StatusWhere = Where<typeof status>;
