// default · public.author · resolvers
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
import { authorAccess } from "./author.access.ts";

export const authorResolvers = resolvers(authorAccess, {
  query: {
    author: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(authorAccess, requester, selection, args),
    },
    author_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(authorAccess, requester, selection, args),
    },
    author_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(authorAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_author: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(authorAccess, requester, selection, args),
    },
    insert_author_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(authorAccess, requester, selection, args),
    },
    update_author: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(authorAccess, requester, selection, args),
    },
    update_author_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(authorAccess, requester, selection, args),
    },
    update_author_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(authorAccess, requester, selection, args),
    },
    delete_author: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(authorAccess, requester, selection, args),
    },
    delete_author_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(authorAccess, requester, selection, args),
    },
  },
});
