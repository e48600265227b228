// default · public.search_articles · function
import { trackedFunction } from "engine/contract";
import { source } from "../source.ts";

export const searchArticles = trackedFunction(source, {
  schema: "public",
  name: "search_articles",
  graphqlName: "search_articles",
  description: "Articles about the words, best first",
  arguments: [{ name: "search", type: "text" }],
  returns: { table: "public.article", set: true },
  bodyHash: "43e453b734a676ab5e7f7a2979c28072",
  below: { reads: { "public.article": ["id", "title", "body"] }, shows: "public.article" },
  roles: [],
  fields: {
    query: { search_articles: "function", search_articles_aggregate: "function_aggregate" },
  },
});
