// default · public.rating · resolvers
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
import { ratingAccess } from "./rating.access.ts";

export const ratingResolvers = resolvers(ratingAccess, {
  query: {
    rating: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(ratingAccess, requester, selection, args),
    },
    rating_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(ratingAccess, requester, selection, args),
    },
    rating_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(ratingAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_rating: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(ratingAccess, requester, selection, args),
    },
    insert_rating_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(ratingAccess, requester, selection, args),
    },
    update_rating: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(ratingAccess, requester, selection, args),
    },
    update_rating_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(ratingAccess, requester, selection, args),
    },
    update_rating_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(ratingAccess, requester, selection, args),
    },
    delete_rating: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(ratingAccess, requester, selection, args),
    },
    delete_rating_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(ratingAccess, requester, selection, args),
    },
  },
});
