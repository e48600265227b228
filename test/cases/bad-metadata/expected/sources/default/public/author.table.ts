// default · public.author · shape
import { table } from "engine/contract";
import { source } from "../source.ts";

export const author = table(source, {
  schema: "public",
  name: "author",
  kind: "table",
  graphqlName: "author",
  columns: {
    id: { type: "int4", notNull: true },
    name: { type: "text", notNull: true },
    "full name": { type: "text", field: null },
  },
  primaryKey: { name: "author_pkey", columns: ["id"] },
  computedFields: {
    all_articles: { function: { schema: "public", name: "author_articles" }, tableArgument: 0, arguments: [{ name: null, type: "public.author" }], returns: { table: "public.article", set: true } },
  },
});
