// my db · functions.access · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const functionsAccess = table(source, {
  schema: "functions",
  name: "access",
  kind: "table",
  graphqlName: "functions_access",
  columns: {
    id: { type: "int4", notNull: true },
  },
  primaryKey: { name: "access_pkey", columns: ["id"] },
}, {
  query: {
    functions_access: "select",
    functions_access_by_pk: "select_by_pk",
    functions_access_aggregate: "select_aggregate",
  },
  subscription: { functions_access_stream: "select_stream" },
  mutation: {
    insert_functions_access: "insert",
    insert_functions_access_one: "insert_one",
    update_functions_access: "update",
    update_functions_access_by_pk: "update_by_pk",
    update_functions_access_many: "update_many",
    delete_functions_access: "delete",
    delete_functions_access_by_pk: "delete_by_pk",
  },
});

export type FunctionsAccess = Row<typeof functionsAccess>;
export type FunctionsAccessWhere = Where<typeof functionsAccess>;
