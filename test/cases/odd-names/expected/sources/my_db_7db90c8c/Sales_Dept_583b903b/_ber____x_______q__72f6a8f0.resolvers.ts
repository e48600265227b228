// my db · Sales Dept.Über `${x}` */ "q" · resolvers
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
import { salesDeptBerXQAccess } from "./_ber____x_______q__72f6a8f0.access.ts";

export const salesDeptBerXQResolvers = resolvers(salesDeptBerXQAccess, {
  query: {
    odd: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(salesDeptBerXQAccess, requester, selection, args),
    },
    odd_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(salesDeptBerXQAccess, requester, selection, args),
    },
    odd_one: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(salesDeptBerXQAccess, requester, selection, args),
    },
    odd_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(salesDeptBerXQAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_odd: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(salesDeptBerXQAccess, requester, selection, args),
    },
    insert_odd_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(salesDeptBerXQAccess, requester, selection, args),
    },
    update_odd: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(salesDeptBerXQAccess, requester, selection, args),
    },
    update_odd_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(salesDeptBerXQAccess, requester, selection, args),
    },
    update_odd_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(salesDeptBerXQAccess, requester, selection, args),
    },
    delete_odd: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(salesDeptBerXQAccess, requester, selection, args),
    },
    delete_odd_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(salesDeptBerXQAccess, requester, selection, args),
    },
  },
});
