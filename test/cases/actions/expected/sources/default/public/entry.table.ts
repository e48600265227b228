// default · public.entry · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const entry = table(source, {
  schema: "public",
  name: "entry",
  kind: "table",
  graphqlName: "entry",
  columns: {
    id: { type: "int4", notNull: true },
    account_id: { type: "int4", notNull: true },
    label: { type: "text" },
  },
  primaryKey: { name: "entry_pkey", columns: ["id"] },
}, {
  query: { entry: "select", entry_by_pk: "select_by_pk", entry_aggregate: "select_aggregate" },
  subscription: { entry_stream: "select_stream" },
  mutation: {
    insert_entry: "insert",
    insert_entry_one: "insert_one",
    update_entry: "update",
    update_entry_by_pk: "update_by_pk",
    update_entry_many: "update_many",
    delete_entry: "delete",
    delete_entry_by_pk: "delete_by_pk",
  },
});

export type Entry = Row<typeof entry>;
export type EntryWhere = Where<typeof entry>;
