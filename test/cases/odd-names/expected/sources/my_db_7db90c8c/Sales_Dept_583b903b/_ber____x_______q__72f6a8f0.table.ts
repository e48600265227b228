// my db · Sales Dept.Über `${x}` */ "q" · shape
import { table } from "engine/contract";
import { source } from "../source.ts";

export const salesDeptBerXQ = table(source, {
  schema: "Sales Dept",
  name: "Über `${x}` */ \"q\"",
  kind: "table",
  graphqlName: "odd",
  customName: true,
  columns: {
    ["constructor" as string]: { type: "int4", notNull: true },
    "first name": { type: "text", field: null },
    "back\\slash`${tick}": { type: "text", field: "back" },
    "{row}": { type: "text", field: null },
    ["__proto__" as string]: { type: "int4" },
  },
  primaryKey: { name: "odd_pkey", columns: ["constructor"] },
});
