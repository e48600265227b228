// default · public.article · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const article = table(source, {
  schema: "public",
  name: "article",
  kind: "table",
  graphqlName: "article",
  columns: {
    id: { type: "int4", notNull: true },
    author_id: { type: "int4" },
    title: { type: "text" },
    upper_title: { type: "text", hasDefault: true, generated: true, below: { reads: { "public.article": ["title"] } } },
  },
  relationships: {
    author: { kind: "object", target: "public.author", columns: { author_id: "id" }, unique: true },
  },
  primaryKey: { name: "article_pkey", columns: ["id"] },
}, {
  query: { article: "select", article_by_pk: "select_by_pk", article_aggregate: "select_aggregate" },
  subscription: { article_stream: "select_stream" },
  mutation: {
    insert_article: "insert",
    insert_article_one: "insert_one",
    update_article: "update",
    update_article_by_pk: "update_by_pk",
    update_article_many: "update_many",
    delete_article: "delete",
    delete_article_by_pk: "delete_by_pk",
  },
});

export type Article = Row<typeof article>;
export type ArticleWhere = Where<typeof article>;
