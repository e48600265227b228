// my db · functions.access · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
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
}, standardFields("functions_access"));

export type FunctionsAccess = Row<typeof functionsAccess>;
export type FunctionsAccessWhere = Where<typeof functionsAccess>;
