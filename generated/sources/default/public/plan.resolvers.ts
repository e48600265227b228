// default · public.plan · resolvers
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
import { planAccess } from "./plan.access.ts";

export const planResolvers = resolvers(planAccess, {
  query: {
    plan: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(planAccess, requester, selection, args),
    },
    plan_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(planAccess, requester, selection, args),
    },
    plan_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(planAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_plan: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(planAccess, requester, selection, args),
    },
    insert_plan_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(planAccess, requester, selection, args),
    },
    update_plan: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(planAccess, requester, selection, args),
    },
    update_plan_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(planAccess, requester, selection, args),
    },
    update_plan_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(planAccess, requester, selection, args),
    },
    delete_plan: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(planAccess, requester, selection, args),
    },
    delete_plan_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(planAccess, requester, selection, args),
    },
  },
});
