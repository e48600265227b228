// default · public.tag · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const tag = table(source, {
  schema: "public",
  name: "tag",
  kind: "table",
  graphqlName: "tag",
  columns: {
    article_id: { type: "int4", notNull: true },
    name: { type: "text", notNull: true },
  },
  primaryKey: { name: "tag_pkey", columns: ["article_id", "name"] },
  references: [{ columns: ["article_id"], target: "public.article" }],
}, standardFields("tag"));

export type Tag = Row<typeof tag>;
export type TagWhere = Where<typeof tag>;
