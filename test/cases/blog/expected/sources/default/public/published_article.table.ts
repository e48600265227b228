// default · public.published_article · shape
import { table } from "engine/contract";
import { source } from "../source.ts";

export const publishedArticle = table(source, {
  schema: "public",
  name: "published_article",
  kind: "view",
  graphqlName: "published_article",
  columns: {
    id: { type: "int4" },
    title: { type: "text" },
    author_id: { type: "int4" },
  },
  relationships: {
    author: { kind: "object", target: "public.author", columns: { author_id: "id" }, unique: true },
  },
});
