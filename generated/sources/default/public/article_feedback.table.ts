// default · public.article_feedback · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const articleFeedback = table(source, {
  schema: "public",
  name: "article_feedback",
  kind: "table",
  graphqlName: "article_feedback",
  description: "Whether an article helped a customer",
  columns: {
    id: { type: "int4", notNull: true, hasDefault: true },
    article_id: { type: "int4", notNull: true },
    customer_id: { type: "int4", notNull: true },
    is_helpful: { type: "bool", notNull: true },
    comment: { type: "text" },
    created_at: { type: "timestamptz", notNull: true, hasDefault: true },
  },
  relationships: {
    article: { kind: "object", target: "public.article", columns: { article_id: "id" }, notNull: true, unique: true },
    customer: { kind: "object", target: "public.customer", columns: { customer_id: "id" }, notNull: true, unique: true },
  },
  primaryKey: { name: "article_feedback_pkey", columns: ["id"] },
  unique: { article_feedback_article_id_customer_id_key: ["article_id", "customer_id"] },
  onDelete: { "public.article": "cascade", "public.customer": "cascade" },
}, standardFields("article_feedback"));

export type ArticleFeedback = Row<typeof articleFeedback>;
export type ArticleFeedbackWhere = Where<typeof articleFeedback>;
