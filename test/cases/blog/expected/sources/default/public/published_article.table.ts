// default · public.published_article · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const publishedArticle = table(source, {
  schema: "public",
  name: "published_article",
  kind: "view",
  graphqlName: "published_article",
  columns: {
    id: { type: "int4", origin: { table: "public.article", column: "id" } },
    title: { type: "text", origin: { table: "public.article", column: "title" } },
    author_id: { type: "int4", origin: { table: "public.article", column: "author_id" } },
  },
  relationships: {
    author: { kind: "object", target: "public.author", columns: { author_id: "id" }, unique: true },
  },
  below: { reads: { "public.article": ["id", "author_id", "title", "status"] } },
  bodyHash: "7dbd0203aadb5617b585ce47576b3741",
}, {
  query: { published_article: "select", published_article_aggregate: "select_aggregate" },
  subscription: { published_article_stream: "select_stream" },
  mutation: {
    insert_published_article: "insert",
    insert_published_article_one: "insert_one",
    update_published_article: "update",
    update_published_article_many: "update_many",
    delete_published_article: "delete",
  },
});

export type PublishedArticle = Row<typeof publishedArticle>;
export type PublishedArticleWhere = Where<typeof publishedArticle>;
