// default · public.article · access
import { access } from "engine/contract";
import { article } from "./article.table.ts";

const agentInsertCheck = `
  {row}."category_id" is null
  or exists (
    select 1
    from "public"."category" as "_r1"
    where "_r1"."id" = {row}."category_id" and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
  )
`;

export const articleAccess = access(article, {
  select: {
    agent: {
      columns: ["id", "category_id", "author_id", "title", "slug", "body", "audience", "published_at", "updated_at"],
      where: `
        {row}."tenant_id" = {session.x-engine-tenant-id::integer}
        and ({row}."published_at" is not null or {row}."author_id" = {session.x-engine-user-id::integer})
      `,
      aggregations: true,
      implies: { tenant: "d8ba3e298653b69f81395833f5a629f0" },
    },
    customer: {
      columns: ["id", "category_id", "title", "slug", "body", "published_at", "updated_at"],
      where: `
        {row}."published_at" is not null
        and (
          {row}."audience" = 'everyone'
          or (
            {row}."audience" = 'customers'
            and exists (
              select 1
              from "public"."customer" as "_r1"
              where "_r1"."id" = {session.x-engine-user-id::integer} and "_r1"."is_verified" = true
            )
          )
        )
        and exists (
          select 1
          from "public"."tenant" as "_r2"
          where "_r2"."id" = {row}."tenant_id"
            and exists (
              select 1
              from "public"."customer" as "_r3"
              where "_r3"."tenant_id" = "_r2"."id" and "_r3"."id" = {session.x-engine-user-id::integer}
            )
        )
      `,
      implies: { tenant: "7d77f48f011134e34ccbc1f6527dbd57" },
    },
    manager: {
      columns: ["id", "category_id", "author_id", "title", "slug", "body", "audience", "published_at", "updated_at"],
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
      aggregations: true,
      implies: {
        feedback: "157637066c3416bf10387d193ab51a48",
        tenant: "cf1f227dbd3ef0c6f7e062c076f2e189",
      },
    },
    public: {
      columns: ["id", "title", "slug", "body", "published_at"],
      where: `{row}."audience" = 'everyone' and {row}."published_at" is not null`,
      limit: 50,
      implies: { category: "77b904181ed15a3f48a99291aaed849c" },
    },
  },
  insert: {
    agent: {
      columns: ["category_id", "title", "slug", "body", "audience"],
      check: agentInsertCheck,
      presets: {
        tenant_id: `{session.x-engine-tenant-id::integer}`,
        author_id: `{session.x-engine-user-id::integer}`,
      },
    },
  },
  update: {
    agent: {
      columns: ["category_id", "title", "slug", "body", "audience"],
      where: `{row}."author_id" = {session.x-engine-user-id::integer} and {row}."published_at" is null`,
      check: agentInsertCheck,
      presets: { updated_at: `now()` },
    },
    manager: {
      columns: ["category_id", "title", "slug", "body", "audience", "published_at"],
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
      check: agentInsertCheck,
      presets: { updated_at: `now()` },
    },
  },
  delete: {
    agent: {
      where: `{row}."author_id" = {session.x-engine-user-id::integer} and {row}."published_at" is null`,
    },
    manager: {
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
    },
  },
});
