// default · public.account · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const account = table(source, {
  schema: "public",
  name: "account",
  kind: "table",
  graphqlName: "account",
  columns: {
    id: { type: "int4", notNull: true },
    code: { type: "uuid", notNull: true },
    name: { type: "text", notNull: true },
    big: { type: "int8" },
    active: { type: "bool" },
  },
  primaryKey: { name: "account_pkey", columns: ["id"] },
}, {
  query: { account: "select", account_by_pk: "select_by_pk", account_aggregate: "select_aggregate" },
  subscription: { account_stream: "select_stream" },
  mutation: {
    insert_account: "insert",
    insert_account_one: "insert_one",
    update_account: "update",
    update_account_by_pk: "update_by_pk",
    update_account_many: "update_many",
    delete_account: "delete",
    delete_account_by_pk: "delete_by_pk",
  },
});

export type Account = Row<typeof account>;
export type AccountWhere = Where<typeof account>;
