// default · public.article · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const article = table(source, {
  schema: "public",
  name: "article",
  kind: "table",
  graphqlName: "article",
  columns: {
    id: { type: "int4", notNull: true, hasDefault: true },
    author_id: { type: "int4", notNull: true },
    editor_id: { type: "int4" },
    title: { type: "text", notNull: true },
    slug: { type: "public.slug", description: "Last part of the address" },
    status: { type: "text", notNull: true, hasDefault: true, enumTable: "public.status" },
    tags: { type: "text[]", notNull: true, hasDefault: true },
    meta: { type: "jsonb" },
    rating: { type: "numeric" },
    published_on: { type: "timestamptz" },
    search: { type: "text", hasDefault: true, generated: true, below: { reads: { "public.article": ["title"] } } },
  },
  relationships: {
    author: { kind: "object", target: "public.author", columns: { author_id: "id" }, notNull: true, unique: true },
    editor: { kind: "object", target: "public.author", columns: { editor_id: "id" }, unique: true },
    labels: { kind: "array", target: "public.tag", columns: { id: "article_id" } },
  },
  computedFields: {
    excerpt: {
      function: { schema: "public", name: "article_excerpt" },
      tableArgument: 0,
      arguments: [{ name: null, type: "public.article" }],
      returns: { type: "text" },
      bodyHash: "7deef08773f97bba2081c864f532bd99",
      below: { reads: { "public.article": ["title"] } },
    },
  },
  primaryKey: { name: "article_pkey", columns: ["id"] },
  unique: { article_slug_key: ["slug"] },
  references: [{ columns: ["status"], target: "public.status" }],
}, standardFields("article"));

export type Article = Row<typeof article>;
export type ArticleWhere = Where<typeof article>;
