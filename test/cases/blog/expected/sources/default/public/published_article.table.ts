// default · public.published_article · shape
import { table } from "engine/contract";
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
  reads: { "public.article": ["id", "author_id", "title", "status"] },
  relationships: {
    author: { kind: "object", target: "public.author", columns: { author_id: "id" }, unique: true },
  },
});
