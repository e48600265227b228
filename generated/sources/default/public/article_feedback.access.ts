// default · public.article_feedback · access
import { access } from "engine/contract";
import { articleFeedback } from "./article_feedback.table.ts";

export const articleFeedbackAccess = access(articleFeedback, {
  select: {
    agent: {
      columns: ["id", "article_id", "is_helpful", "comment", "created_at"],
      where: `
        exists (
          select 1
          from "public"."article" as "_r1"
          where "_r1"."id" = {row}."article_id" and "_r1"."author_id" = {session.x-engine-user-id::integer}
        )
      `,
      aggregations: true,
    },
    customer: {
      columns: ["article_id", "is_helpful", "comment"],
      where: `{row}."customer_id" = {session.x-engine-user-id::integer}`,
      implies: { customer: "e2bab2bc8f7dadd96c6a5289997e01e7" },
    },
    manager: {
      columns: ["id", "article_id", "customer_id", "is_helpful", "comment", "created_at"],
      where: `
        exists (
          select 1
          from "public"."article" as "_r1"
          where "_r1"."id" = {row}."article_id" and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
        )
      `,
      aggregations: true,
      implies: { article: "04a025a805e1c9603d6acb6d3c954294" },
    },
  },
  insert: {
    customer: {
      columns: ["article_id", "is_helpful", "comment"],
      check: `
        exists (
          select 1
          from "public"."article" as "_r1"
            join "public"."tenant" as "_r2" on "_r2"."id" = "_r1"."tenant_id"
          where "_r1"."id" = {row}."article_id"
            and "_r1"."published_at" is not null
            and exists (
              select 1
              from "public"."customer" as "_r3"
              where "_r3"."tenant_id" = "_r2"."id" and "_r3"."id" = {session.x-engine-user-id::integer}
            )
        )
      `,
      presets: { customer_id: `{session.x-engine-user-id::integer}` },
    },
  },
  update: {
    customer: {
      columns: ["is_helpful", "comment"],
      where: `{row}."customer_id" = {session.x-engine-user-id::integer}`,
    },
  },
  delete: {
    customer: {
      where: `{row}."customer_id" = {session.x-engine-user-id::integer}`,
    },
  },
});
