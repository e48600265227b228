// default · public.local_author · shape
import { table } from "engine/contract";
import { source } from "../source.ts";

export const localAuthor = table(source, {
  schema: "public",
  name: "local_author",
  kind: "table",
  graphqlName: "table_one",
  customName: true,
  columns: {
    id: { type: "int4", notNull: true },
    full_name: { type: "text" },
  },
  primaryKey: { name: "local_author_pkey", columns: ["id"] },
});
