// default · public.tenant · resolvers
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
import { tenantAccess } from "./tenant.access.ts";

export const tenantResolvers = resolvers(tenantAccess, {
  query: {
    tenant: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(tenantAccess, requester, selection, args),
    },
    tenant_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(tenantAccess, requester, selection, args),
    },
    tenant_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(tenantAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_tenant: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(tenantAccess, requester, selection, args),
    },
    insert_tenant_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(tenantAccess, requester, selection, args),
    },
    update_tenant: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(tenantAccess, requester, selection, args),
    },
    update_tenant_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(tenantAccess, requester, selection, args),
    },
    update_tenant_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(tenantAccess, requester, selection, args),
    },
    delete_tenant: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(tenantAccess, requester, selection, args),
    },
    delete_tenant_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(tenantAccess, requester, selection, args),
    },
  },
});
