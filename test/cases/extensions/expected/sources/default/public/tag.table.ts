// default · public.tag · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const tag = table(source, {
  schema: "public",
  name: "tag",
  kind: "table",
  graphqlName: "tag",
  columns: {
    id: { type: "int4", notNull: true },
  },
  primaryKey: { name: "tag_pkey", columns: ["id"] },
}, {
  query: { my_tag: "select", my_tag_by_pk: "select_by_pk", my_tag_aggregate: "select_aggregate" },
  subscription: { my_tag_stream: "select_stream" },
  mutation: {
    my_insert_tag: "insert",
    my_insert_tag_one: "insert_one",
    my_update_tag: "update",
    my_update_tag_by_pk: "update_by_pk",
    my_update_tag_many: "update_many",
    my_delete_tag: "delete",
    my_delete_tag_by_pk: "delete_by_pk",
  },
});

export type Tag = Row<typeof tag>;
export type TagWhere = Where<typeof tag>;
