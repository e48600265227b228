// default · public.author · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
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
  computedFields: {
    all_articles: {
      function: { schema: "public", name: "author_articles" },
      tableArgument: 0,
      arguments: [{ name: null, type: "public.author" }],
      returns: { table: "public.article", set: true },
      bodyHash: "4286d62eb781cb5dfe0e4be16f79b415",
      below: { shows: "public.article" },
    },
  },
  primaryKey: { name: "author_pkey", columns: ["id"] },
}, standardFields("author"));

export type Author = Row<typeof author>;
export type AuthorWhere = Where<typeof author>;
