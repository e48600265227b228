// default · public.status · shape
import { table } from "engine/contract";
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
});
