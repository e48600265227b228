// default · public.article · resolvers
import {
  deleteRow,
  deleteRows,
  insertRow,
  insertRows,
  resolvers,
  selectAggregate,
  selectByKey,
  selectRows,
  updateMany,
  updateRow,
  updateRows,
} from "engine/contract";
import { articleAccess } from "./article.access.ts";

export const articleResolvers = resolvers(articleAccess, {
  query: {
    article: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(articleAccess, requester, selection, args),
    },
    article_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(articleAccess, requester, selection, args),
    },
    article_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(articleAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_article: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(articleAccess, requester, selection, args),
    },
    insert_article_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(articleAccess, requester, selection, args),
    },
    update_article: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(articleAccess, requester, selection, args),
    },
    update_article_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(articleAccess, requester, selection, args),
    },
    update_article_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(articleAccess, requester, selection, args),
    },
    delete_article: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(articleAccess, requester, selection, args),
    },
    delete_article_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(articleAccess, requester, selection, args),
    },
  },
});
