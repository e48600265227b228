// default · public.search_articles · function
import { functionAggregate, functionResolvers, functionRows, trackedFunction } from "engine/contract";
import { source } from "../source.ts";

export const searchArticles = trackedFunction(source, {
  schema: "public",
  name: "search_articles",
  graphqlName: "search_articles",
  arguments: [{ name: "query", type: "text" }, { name: "at_most", type: "int4", hasDefault: true }],
  returns: { table: "public.article", set: true },
});

export const searchArticlesResolvers = functionResolvers({ function: searchArticles, roles: ["reader", "user"] }, {
  query: {
    search_articles: {
      field: "function",
      resolve: (selection, args, requester) => functionRows(searchArticles, requester, selection, args),
    },
    search_articles_aggregate: {
      field: "function_aggregate",
      resolve: (selection, args, requester) => functionAggregate(searchArticles, requester, selection, args),
    },
  },
});
