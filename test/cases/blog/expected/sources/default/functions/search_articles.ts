// default · public.search_articles · function
import { trackedFunction } from "engine/contract";
import { source } from "../source.ts";

export const searchArticles = trackedFunction(source, {
  schema: "public",
  name: "search_articles",
  graphqlName: "search_articles",
  arguments: [{ name: "query", type: "text" }, { name: "at_most", type: "int4", hasDefault: true }],
  returns: { table: "public.article", set: true },
  bodyHash: "18eddb3e5a70d0203557f8efcb9ae35f",
  below: { reads: { "public.article": ["title"] }, shows: "public.article" },
  roles: ["reader", "user"],
  fields: {
    query: { search_articles: "function", search_articles_aggregate: "function_aggregate" },
  },
});
