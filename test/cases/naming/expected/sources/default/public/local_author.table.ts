// default · public.local_author · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const localAuthor = table(source, {
  schema: "public",
  name: "local_author",
  kind: "table",
  graphqlName: "table_one",
  customName: true,
  columns: {
    id: { type: "int4", notNull: true },
    full_name: { type: "text" },
  },
  primaryKey: { name: "local_author_pkey", columns: ["id"] },
}, {
  query: {
    testTable_oneQuery: "select",
    testTable_oneByPkQuery: "select_by_pk",
    testTable_oneOneQuery: "select_by_pk",
    testTable_oneAggregateQuery: "select_aggregate",
  },
  subscription: { testTable_oneStreamQuery: "select_stream" },
  mutation: {
    testInsertTable_oneQuery: "insert",
    testInsertTable_oneOneQuery: "insert_one",
    testUpdateTable_oneQuery: "update",
    testUpdateTable_oneByPkQuery: "update_by_pk",
    testUpdateTable_oneManyQuery: "update_many",
    testDeleteTable_oneQuery: "delete",
    testDeleteTable_oneByPkQuery: "delete_by_pk",
  },
});

export type LocalAuthor = Row<typeof localAuthor>;
export type LocalAuthorWhere = Where<typeof localAuthor>;
