// default · public.profile · resolvers
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
import { profileAccess } from "./profile.access.ts";

export const profileResolvers = resolvers(profileAccess, {
  query: {
    profile: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(profileAccess, requester, selection, args),
    },
    profile_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(profileAccess, requester, selection, args),
    },
    profile_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(profileAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_profile: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(profileAccess, requester, selection, args),
    },
    insert_profile_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(profileAccess, requester, selection, args),
    },
    update_profile: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(profileAccess, requester, selection, args),
    },
    update_profile_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(profileAccess, requester, selection, args),
    },
    update_profile_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(profileAccess, requester, selection, args),
    },
    delete_profile: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(profileAccess, requester, selection, args),
    },
    delete_profile_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(profileAccess, requester, selection, args),
    },
  },
});
