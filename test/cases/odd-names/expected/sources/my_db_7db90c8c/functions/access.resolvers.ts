// my db · functions.access · resolvers
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
import { functionsAccessAccess } from "./access.access.ts";

export const functionsAccessResolvers = resolvers(functionsAccessAccess, {
  query: {
    functions_access: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(functionsAccessAccess, requester, selection, args),
    },
    functions_access_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(functionsAccessAccess, requester, selection, args),
    },
    functions_access_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(functionsAccessAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_functions_access: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(functionsAccessAccess, requester, selection, args),
    },
    insert_functions_access_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(functionsAccessAccess, requester, selection, args),
    },
    update_functions_access: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(functionsAccessAccess, requester, selection, args),
    },
    update_functions_access_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(functionsAccessAccess, requester, selection, args),
    },
    update_functions_access_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(functionsAccessAccess, requester, selection, args),
    },
    delete_functions_access: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(functionsAccessAccess, requester, selection, args),
    },
    delete_functions_access_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(functionsAccessAccess, requester, selection, args),
    },
  },
});
