// my db · public.Select · resolvers
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
import { selectAccess } from "./Select.access.ts";

export const selectResolvers = resolvers(selectAccess, {
  query: {
    Select: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(selectAccess, requester, selection, args),
    },
    Select_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(selectAccess, requester, selection, args),
    },
    Select_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(selectAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_Select: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(selectAccess, requester, selection, args),
    },
    insert_Select_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(selectAccess, requester, selection, args),
    },
    update_Select: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(selectAccess, requester, selection, args),
    },
    update_Select_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(selectAccess, requester, selection, args),
    },
    update_Select_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(selectAccess, requester, selection, args),
    },
    delete_Select: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(selectAccess, requester, selection, args),
    },
    delete_Select_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(selectAccess, requester, selection, args),
    },
  },
});
