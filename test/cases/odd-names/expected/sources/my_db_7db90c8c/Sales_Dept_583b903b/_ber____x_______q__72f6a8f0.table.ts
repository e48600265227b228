// my db · Sales Dept."Über `${x}` */ ""q""" · shape and root fields
import { type Row, table, type Where } from "engine/contract";
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
    ["__proto__" as string]: { type: "int4", field: null },
  },
  primaryKey: { name: "odd_pkey", columns: ["constructor"] },
}, {
  query: { odd: "select", odd_by_pk: "select_by_pk", odd_one: "select_by_pk", odd_aggregate: "select_aggregate" },
  subscription: { odd_stream: "select_stream" },
  mutation: {
    insert_odd: "insert",
    insert_odd_one: "insert_one",
    update_odd: "update",
    update_odd_by_pk: "update_by_pk",
    update_odd_many: "update_many",
    delete_odd: "delete",
    delete_odd_by_pk: "delete_by_pk",
  },
});

export type SalesDeptBerXQ = Row<typeof salesDeptBerXQ>;
export type SalesDeptBerXQWhere = Where<typeof salesDeptBerXQ>;
