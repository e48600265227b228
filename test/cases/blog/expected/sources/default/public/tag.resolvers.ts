// default · public.tag · resolvers
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
import { tagAccess } from "./tag.access.ts";

export const tagResolvers = resolvers(tagAccess, {
  query: {
    tag: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(tagAccess, requester, selection, args),
    },
    tag_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(tagAccess, requester, selection, args),
    },
    tag_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(tagAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_tag: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(tagAccess, requester, selection, args),
    },
    insert_tag_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(tagAccess, requester, selection, args),
    },
    update_tag: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(tagAccess, requester, selection, args),
    },
    update_tag_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(tagAccess, requester, selection, args),
    },
    update_tag_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(tagAccess, requester, selection, args),
    },
    delete_tag: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(tagAccess, requester, selection, args),
    },
    delete_tag_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(tagAccess, requester, selection, args),
    },
  },
});
