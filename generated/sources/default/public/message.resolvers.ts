// default · public.message · resolvers
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
import { messageAccess } from "./message.access.ts";

export const messageResolvers = resolvers(messageAccess, {
  query: {
    message: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(messageAccess, requester, selection, args),
    },
    message_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(messageAccess, requester, selection, args),
    },
    message_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(messageAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_message: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(messageAccess, requester, selection, args),
    },
    insert_message_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(messageAccess, requester, selection, args),
    },
    update_message: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(messageAccess, requester, selection, args),
    },
    update_message_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(messageAccess, requester, selection, args),
    },
    update_message_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(messageAccess, requester, selection, args),
    },
    delete_message: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(messageAccess, requester, selection, args),
    },
    delete_message_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(messageAccess, requester, selection, args),
    },
  },
});
