// my db · public.con · resolvers
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
import { conAccess } from "./con_1143da2b.access.ts";

export const conResolvers = resolvers(conAccess, {
  query: {
    con: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(conAccess, requester, selection, args),
    },
    con_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(conAccess, requester, selection, args),
    },
    con_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(conAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_con: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(conAccess, requester, selection, args),
    },
    insert_con_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(conAccess, requester, selection, args),
    },
    update_con: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(conAccess, requester, selection, args),
    },
    update_con_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(conAccess, requester, selection, args),
    },
    update_con_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(conAccess, requester, selection, args),
    },
    delete_con: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(conAccess, requester, selection, args),
    },
    delete_con_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(conAccess, requester, selection, args),
    },
  },
});
