// default · public.published_article · resolvers
import {
  deleteRows,
  insertRow,
  insertRows,
  resolvers,
  selectAggregate,
  selectRows,
  updateMany,
  updateRows,
} from "engine/contract";
import { publishedArticleAccess } from "./published_article.access.ts";

export const publishedArticleResolvers = resolvers(publishedArticleAccess, {
  query: {
    published_article: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(publishedArticleAccess, requester, selection, args),
    },
    published_article_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(publishedArticleAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_published_article: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(publishedArticleAccess, requester, selection, args),
    },
    insert_published_article_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(publishedArticleAccess, requester, selection, args),
    },
    update_published_article: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(publishedArticleAccess, requester, selection, args),
    },
    update_published_article_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(publishedArticleAccess, requester, selection, args),
    },
    delete_published_article: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(publishedArticleAccess, requester, selection, args),
    },
  },
});
