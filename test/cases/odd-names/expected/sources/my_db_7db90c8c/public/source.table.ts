// my db · public.source · shape
import { table } from "engine/contract";
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
});
