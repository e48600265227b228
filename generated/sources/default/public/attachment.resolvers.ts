// default · public.attachment · resolvers
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
import { attachmentAccess } from "./attachment.access.ts";

export const attachmentResolvers = resolvers(attachmentAccess, {
  query: {
    attachment: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(attachmentAccess, requester, selection, args),
    },
    attachment_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(attachmentAccess, requester, selection, args),
    },
    attachment_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(attachmentAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_attachment: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(attachmentAccess, requester, selection, args),
    },
    insert_attachment_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(attachmentAccess, requester, selection, args),
    },
    update_attachment: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(attachmentAccess, requester, selection, args),
    },
    update_attachment_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(attachmentAccess, requester, selection, args),
    },
    update_attachment_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(attachmentAccess, requester, selection, args),
    },
    delete_attachment: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(attachmentAccess, requester, selection, args),
    },
    delete_attachment_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(attachmentAccess, requester, selection, args),
    },
  },
});
