// my db · public.con · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const con = table(source, {
  schema: "public",
  name: "con",
  kind: "table",
  graphqlName: "con",
  columns: {
    id: { type: "int4", notNull: true },
  },
  primaryKey: { name: "con pkey", columns: ["id"] },
  notInferable: ["con pkey"],
}, {
  query: { con: "select", con_by_pk: "select_by_pk", con_aggregate: "select_aggregate" },
  subscription: { con_stream: "select_stream" },
  mutation: {
    insert_con: "insert",
    insert_con_one: "insert_one",
    update_con: "update",
    update_con_by_pk: "update_by_pk",
    update_con_many: "update_many",
    delete_con: "delete",
    delete_con_by_pk: "delete_by_pk",
  },
});

export type Con = Row<typeof con>;
export type ConWhere = Where<typeof con>;
