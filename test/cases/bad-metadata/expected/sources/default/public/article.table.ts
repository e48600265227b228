// default · public.article · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const article = table(source, {
  schema: "public",
  name: "article",
  kind: "table",
  graphqlName: "article",
  columns: {
    id: { type: "int4", notNull: true },
    author_id: { type: "int4" },
    title: { type: "text" },
    upper_title: { type: "text", hasDefault: true, generated: true, below: { reads: { "public.article": ["title"] } } },
  },
  relationships: {
    author: { kind: "object", target: "public.author", columns: { author_id: "id" }, unique: true },
  },
  primaryKey: { name: "article_pkey", columns: ["id"] },
}, standardFields("article"));

export type Article = Row<typeof article>;
export type ArticleWhere = Where<typeof article>;
