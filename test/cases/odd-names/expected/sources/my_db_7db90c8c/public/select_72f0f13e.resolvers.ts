// my db · public.select · resolvers
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
import { myDbSelectAccess } from "./select_72f0f13e.access.ts";

export const myDbSelectResolvers = resolvers(myDbSelectAccess, {
  query: {
    select: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(myDbSelectAccess, requester, selection, args),
    },
    select_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(myDbSelectAccess, requester, selection, args),
    },
    select_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(myDbSelectAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_select: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(myDbSelectAccess, requester, selection, args),
    },
    insert_select_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(myDbSelectAccess, requester, selection, args),
    },
    update_select: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(myDbSelectAccess, requester, selection, args),
    },
    update_select_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(myDbSelectAccess, requester, selection, args),
    },
    update_select_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(myDbSelectAccess, requester, selection, args),
    },
    delete_select: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(myDbSelectAccess, requester, selection, args),
    },
    delete_select_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(myDbSelectAccess, requester, selection, args),
    },
  },
});
