// default · public.company · resolvers
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
import { companyAccess } from "./company.access.ts";

export const companyResolvers = resolvers(companyAccess, {
  query: {
    company: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(companyAccess, requester, selection, args),
    },
    company_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(companyAccess, requester, selection, args),
    },
    company_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(companyAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_company: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(companyAccess, requester, selection, args),
    },
    insert_company_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(companyAccess, requester, selection, args),
    },
    update_company: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(companyAccess, requester, selection, args),
    },
    update_company_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(companyAccess, requester, selection, args),
    },
    update_company_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(companyAccess, requester, selection, args),
    },
    delete_company: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(companyAccess, requester, selection, args),
    },
    delete_company_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(companyAccess, requester, selection, args),
    },
  },
});
