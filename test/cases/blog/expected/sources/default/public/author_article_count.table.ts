// default · public.author_article_count · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const authorArticleCount = table(source, {
  schema: "public",
  name: "author_article_count",
  kind: "view",
  graphqlName: "author_article_count",
  columns: {
    author_id: { type: "int4", readOnly: true, origin: { table: "public.article", column: "author_id" } },
    articles: { type: "int8", readOnly: true },
  },
  below: { reads: { "public.article": ["author_id"] } },
  bodyHash: "6a9811d4088ffb471ad5d246b5a82fc7",
  readOnly: ["insert", "update", "delete"],
}, {
  query: { productivity: "select", author_article_count_aggregate: "select_aggregate" },
  subscription: { author_article_count_stream: "select_stream" },
});

export type AuthorArticleCount = Row<typeof authorArticleCount>;
export type AuthorArticleCountWhere = Where<typeof authorArticleCount>;
