// default · public.saved_reply · resolvers
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
import { savedReplyAccess } from "./saved_reply.access.ts";

export const savedReplyResolvers = resolvers(savedReplyAccess, {
  query: {
    saved_reply: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(savedReplyAccess, requester, selection, args),
    },
    saved_reply_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(savedReplyAccess, requester, selection, args),
    },
    saved_reply_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(savedReplyAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_saved_reply: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(savedReplyAccess, requester, selection, args),
    },
    insert_saved_reply_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(savedReplyAccess, requester, selection, args),
    },
    update_saved_reply: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(savedReplyAccess, requester, selection, args),
    },
    update_saved_reply_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(savedReplyAccess, requester, selection, args),
    },
    update_saved_reply_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(savedReplyAccess, requester, selection, args),
    },
    delete_saved_reply: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(savedReplyAccess, requester, selection, args),
    },
    delete_saved_reply_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(savedReplyAccess, requester, selection, args),
    },
  },
});
