// default · public.note · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const note = table(source, {
  schema: "public",
  name: "note",
  kind: "table",
  graphqlName: "note",
  columns: {
    id: { type: "int4", notNull: true },
  },
  primaryKey: { name: "note_pkey", columns: ["id"] },
}, {
  query: { my_note: "select", my_note_by_pk: "select_by_pk", my_note_aggregate: "select_aggregate" },
  subscription: { my_note_stream: "select_stream" },
  mutation: {
    my_insert_note: "insert",
    my_insert_note_one: "insert_one",
    my_update_note: "update",
    my_update_note_by_pk: "update_by_pk",
    my_update_note_many: "update_many",
    my_delete_note: "delete",
    my_delete_note_by_pk: "delete_by_pk",
  },
});

export type Note = Row<typeof note>;
export type NoteWhere = Where<typeof note>;
