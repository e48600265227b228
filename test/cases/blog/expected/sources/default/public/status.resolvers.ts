// default · public.status · resolvers
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
import { statusAccess } from "./status.access.ts";

export const statusResolvers = resolvers(statusAccess, {
  query: {
    status: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(statusAccess, requester, selection, args),
    },
    status_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(statusAccess, requester, selection, args),
    },
    status_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(statusAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_status: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(statusAccess, requester, selection, args),
    },
    insert_status_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(statusAccess, requester, selection, args),
    },
    update_status: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(statusAccess, requester, selection, args),
    },
    update_status_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(statusAccess, requester, selection, args),
    },
    update_status_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(statusAccess, requester, selection, args),
    },
    delete_status: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(statusAccess, requester, selection, args),
    },
    delete_status_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(statusAccess, requester, selection, args),
    },
  },
});
