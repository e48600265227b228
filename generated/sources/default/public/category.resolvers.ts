// default · public.category · resolvers
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
import { categoryAccess } from "./category.access.ts";

export const categoryResolvers = resolvers(categoryAccess, {
  query: {
    category: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(categoryAccess, requester, selection, args),
    },
    category_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(categoryAccess, requester, selection, args),
    },
    category_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(categoryAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_category: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(categoryAccess, requester, selection, args),
    },
    insert_category_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(categoryAccess, requester, selection, args),
    },
    update_category: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(categoryAccess, requester, selection, args),
    },
    update_category_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(categoryAccess, requester, selection, args),
    },
    update_category_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(categoryAccess, requester, selection, args),
    },
    delete_category: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(categoryAccess, requester, selection, args),
    },
    delete_category_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(categoryAccess, requester, selection, args),
    },
  },
});
