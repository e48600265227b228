// default · public.author_article_count · resolvers
import { resolvers, selectAggregate, selectRows } from "engine/contract";
import { authorArticleCountAccess } from "./author_article_count.access.ts";

export const authorArticleCountResolvers = resolvers(authorArticleCountAccess, {
  query: {
    productivity: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(authorArticleCountAccess, requester, selection, args),
    },
    author_article_count_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(authorArticleCountAccess, requester, selection, args),
    },
  },
});
