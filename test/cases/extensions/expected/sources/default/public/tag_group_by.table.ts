// default · public.tag_group_by · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const tagGroupBy = table(source, {
  schema: "public",
  name: "tag_group_by",
  kind: "table",
  graphqlName: "tag_group_by",
  columns: {
    id: { type: "int4", notNull: true },
  },
  primaryKey: { name: "tag_group_by_pkey", columns: ["id"] },
}, {
  query: {
    my_tag_group_by: "select",
    my_tag_group_by_by_pk: "select_by_pk",
    my_tag_group_by_aggregate: "select_aggregate",
    my_tag_group_by_group_by: "select_group_by",
  },
  subscription: { my_tag_group_by_stream: "select_stream" },
  mutation: {
    my_insert_tag_group_by: "insert",
    my_insert_tag_group_by_one: "insert_one",
    my_update_tag_group_by: "update",
    my_update_tag_group_by_by_pk: "update_by_pk",
    my_update_tag_group_by_many: "update_many",
    my_delete_tag_group_by: "delete",
    my_delete_tag_group_by_by_pk: "delete_by_pk",
  },
});

export type TagGroupBy = Row<typeof tagGroupBy>;
export type TagGroupByWhere = Where<typeof tagGroupBy>;
