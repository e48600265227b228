// default · public.author · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const author = table(source, {
  schema: "public",
  name: "author",
  kind: "table",
  graphqlName: "author",
  description: "Whoever writes",
  columns: {
    id: { type: "int4", notNull: true, hasDefault: true, generated: true },
    name: { type: "text", notNull: true, field: "fullName", description: "As on the passport" },
    email: { type: "public.citext" },
    company_id: { type: "int4", notNull: true },
    mood: { type: "public.mood", notNull: true, hasDefault: true },
  },
  relationships: {
    articles: { kind: "array", target: "public.article", columns: { id: "author_id" }, description: "What they wrote" },
    colleagues: { kind: "array", target: "public.author", columns: { company_id: "company_id" } },
    company: { kind: "object", target: "public.company", columns: { company_id: "id" }, notNull: true, unique: true },
    profile: {
      kind: "object",
      target: "public.profile",
      columns: { id: "author_id" },
      unique: true,
      insertAfter: true,
    },
  },
  computedFields: {
    recent: {
      function: { schema: "public", name: "author_recent" },
      tableArgument: 0,
      sessionArgument: 1,
      arguments: [{ name: "author_row", type: "public.author" }, { name: "session", type: "json" }],
      returns: { table: "public.article", set: true },
      bodyHash: "40f6b3c94bd3ff20f940cd913b54eee5",
      below: { reads: { "public.article": ["id", "author_id"], "public.author": ["id"] }, shows: "public.article" },
    },
  },
  primaryKey: { name: "author_pkey", columns: ["id"] },
  unique: { author_email_key: ["email"] },
  unprovenKeys: {
    author_email_key: "the index of \"author_email_key\" has an operator class or collation by which other values are equal",
  },
}, standardFields("author"));

export type Author = Row<typeof author>;
export type AuthorWhere = Where<typeof author>;
