// default · public.article · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const article = table(source, {
  schema: "public",
  name: "article",
  kind: "table",
  graphqlName: "article",
  description: "An answer written once for many",
  columns: {
    id: { type: "int4", notNull: true, hasDefault: true },
    tenant_id: { type: "int4", notNull: true },
    category_id: { type: "int4" },
    author_id: { type: "int4" },
    title: { type: "text", notNull: true },
    slug: { type: "text", notNull: true },
    body: { type: "text", notNull: true },
    audience: {
      type: "text",
      notNull: true,
      hasDefault: true,
      description: "Who may read it once it is published: everyone, customers, or agents",
    },
    published_at: { type: "timestamptz", description: "Null while it is a draft" },
    updated_at: { type: "timestamptz", notNull: true, hasDefault: true },
  },
  relationships: {
    author: { kind: "object", target: "public.agent", columns: { author_id: "id" }, unique: true },
    category: { kind: "object", target: "public.category", columns: { category_id: "id" }, unique: true },
    feedback: { kind: "array", target: "public.article_feedback", columns: { id: "article_id" } },
    tenant: { kind: "object", target: "public.tenant", columns: { tenant_id: "id" }, notNull: true, unique: true },
  },
  primaryKey: { name: "article_pkey", columns: ["id"] },
  unique: { article_tenant_id_slug_key: ["tenant_id", "slug"] },
  onDelete: { "public.agent": "set null", "public.category": "set null", "public.tenant": "cascade" },
}, standardFields("article"));

export type Article = Row<typeof article>;
export type ArticleWhere = Where<typeof article>;
