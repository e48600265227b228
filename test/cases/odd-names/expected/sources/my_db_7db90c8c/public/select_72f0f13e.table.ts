// my db · public.select · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const myDbSelect = table(source, {
  schema: "public",
  name: "select",
  kind: "table",
  graphqlName: "select",
  columns: {
    id: { type: "int4", notNull: true },
    class: { type: "int4" },
  },
  relationships: {
    source: { kind: "object", target: "public.source", columns: { id: "id" }, unique: true, insertAfter: true },
  },
  primaryKey: { name: "select_pkey", columns: ["id"] },
  unique: { "1st \"key\"": ["class"] },
  notInferable: ["1st \"key\""],
}, {
  query: { select: "select", select_by_pk: "select_by_pk", select_aggregate: "select_aggregate" },
  subscription: { select_stream: "select_stream" },
  mutation: {
    insert_select: "insert",
    insert_select_one: "insert_one",
    update_select: "update",
    update_select_by_pk: "update_by_pk",
    update_select_many: "update_many",
    delete_select: "delete",
    delete_select_by_pk: "delete_by_pk",
  },
});

export type MyDbSelect = Row<typeof myDbSelect>;
export type MyDbSelectWhere = Where<typeof myDbSelect>;
