// default · public.local_author · resolvers
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
import { localAuthorAccess } from "./local_author.access.ts";

export const localAuthorResolvers = resolvers(localAuthorAccess, {
  query: {
    testTable_oneQuery: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(localAuthorAccess, requester, selection, args),
    },
    testTable_oneByPkQuery: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(localAuthorAccess, requester, selection, args),
    },
    testTable_oneOneQuery: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(localAuthorAccess, requester, selection, args),
    },
    testTable_oneAggregateQuery: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(localAuthorAccess, requester, selection, args),
    },
  },
  mutation: {
    testInsertTable_oneQuery: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(localAuthorAccess, requester, selection, args),
    },
    testInsertTable_oneOneQuery: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(localAuthorAccess, requester, selection, args),
    },
    testUpdateTable_oneQuery: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(localAuthorAccess, requester, selection, args),
    },
    testUpdateTable_oneByPkQuery: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(localAuthorAccess, requester, selection, args),
    },
    testUpdateTable_oneManyQuery: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(localAuthorAccess, requester, selection, args),
    },
    testDeleteTable_oneQuery: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(localAuthorAccess, requester, selection, args),
    },
    testDeleteTable_oneByPkQuery: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(localAuthorAccess, requester, selection, args),
    },
  },
});
