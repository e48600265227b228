// my db · functions.access · shape
import { table } from "engine/contract";
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
});
