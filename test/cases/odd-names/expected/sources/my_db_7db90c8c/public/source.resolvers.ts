// my db · public.source · resolvers
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
import { source_Access } from "./source.access.ts";

export const source_Resolvers = resolvers(source_Access, {
  query: {
    source: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(source_Access, requester, selection, args),
    },
    source_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(source_Access, requester, selection, args),
    },
    source_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(source_Access, requester, selection, args),
    },
  },
  mutation: {
    insert_source: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(source_Access, requester, selection, args),
    },
    insert_source_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(source_Access, requester, selection, args),
    },
    update_source: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(source_Access, requester, selection, args),
    },
    update_source_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(source_Access, requester, selection, args),
    },
    update_source_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(source_Access, requester, selection, args),
    },
    delete_source: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(source_Access, requester, selection, args),
    },
    delete_source_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(source_Access, requester, selection, args),
    },
  },
});
