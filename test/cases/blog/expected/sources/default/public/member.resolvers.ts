// default · public.member · resolvers
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
import { memberAccess } from "./member.access.ts";

export const memberResolvers = resolvers(memberAccess, {
  query: {
    member: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(memberAccess, requester, selection, args),
    },
    member_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(memberAccess, requester, selection, args),
    },
    member_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(memberAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_member: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(memberAccess, requester, selection, args),
    },
    insert_member_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(memberAccess, requester, selection, args),
    },
    update_member: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(memberAccess, requester, selection, args),
    },
    update_member_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(memberAccess, requester, selection, args),
    },
    update_member_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(memberAccess, requester, selection, args),
    },
    delete_member: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(memberAccess, requester, selection, args),
    },
    delete_member_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(memberAccess, requester, selection, args),
    },
  },
});
