// my db · public.source · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const source_ = table(source, {
  schema: "public",
  name: "source",
  kind: "table",
  graphqlName: "source",
  columns: {
    id: { type: "int4", notNull: true },
  },
  primaryKey: { name: "source_pkey", columns: ["id"] },
  references: [{ columns: ["id"], target: "public.select" }],
}, {
  query: { source: "select", source_by_pk: "select_by_pk", source_aggregate: "select_aggregate" },
  subscription: { source_stream: "select_stream" },
  mutation: {
    insert_source: "insert",
    insert_source_one: "insert_one",
    update_source: "update",
    update_source_by_pk: "update_by_pk",
    update_source_many: "update_many",
    delete_source: "delete",
    delete_source_by_pk: "delete_by_pk",
  },
});

export type Source_ = Row<typeof source_>;
export type Source_Where = Where<typeof source_>;
