// default · public.customer · resolvers
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
import { customerAccess } from "./customer.access.ts";

export const customerResolvers = resolvers(customerAccess, {
  query: {
    customer: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(customerAccess, requester, selection, args),
    },
    customer_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(customerAccess, requester, selection, args),
    },
    customer_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(customerAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_customer: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(customerAccess, requester, selection, args),
    },
    insert_customer_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(customerAccess, requester, selection, args),
    },
    update_customer: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(customerAccess, requester, selection, args),
    },
    update_customer_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(customerAccess, requester, selection, args),
    },
    update_customer_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(customerAccess, requester, selection, args),
    },
    delete_customer: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(customerAccess, requester, selection, args),
    },
    delete_customer_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(customerAccess, requester, selection, args),
    },
  },
});
