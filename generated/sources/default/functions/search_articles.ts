// default · public.search_articles · function
import { functionAggregate, functionResolvers, functionRows, trackedFunction } from "engine/contract";
import { source } from "../source.ts";

export const searchArticles = trackedFunction(source, {
  schema: "public",
  name: "search_articles",
  graphqlName: "search_articles",
  description: "Articles about the words, best first",
  arguments: [{ name: "search", type: "text" }],
  returns: { table: "public.article", set: true },
});

export const searchArticlesResolvers = functionResolvers({ function: searchArticles, roles: [] }, {
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
