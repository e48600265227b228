// default · public.article · access
import { access } from "engine/contract";
import { article } from "./article.table.ts";

export const articleAccess = access(article, {
  select: {
    agent: {
      columns: [
        "id",
        "category_id",
        "author_id",
        "title",
        "slug",
        "body",
        "audience",
        "published_at",
        "updated_at",
      ],
      where: `
        {row}."tenant_id" = {session.x-engine-tenant-id::integer}
        and ({row}."published_at" is not null or {row}."author_id" = {session.x-engine-user-id::integer})
      `,
      aggregations: true,
    },
    customer: {
      columns: [
        "id",
        "category_id",
        "title",
        "slug",
        "body",
        "published_at",
        "updated_at",
      ],
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
    },
    manager: {
      columns: [
        "id",
        "category_id",
        "author_id",
        "title",
        "slug",
        "body",
        "audience",
        "published_at",
        "updated_at",
      ],
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
      aggregations: true,
    },
    public: {
      columns: [
        "id",
        "title",
        "slug",
        "body",
        "published_at",
      ],
      where: `{row}."audience" = 'everyone' and {row}."published_at" is not null`,
      limit: 50,
    },
  },
  insert: {
    agent: {
      columns: [
        "category_id",
        "title",
        "slug",
        "body",
        "audience",
      ],
      check: `
        {row}."category_id" is null
        or exists (
          select 1
          from "public"."category" as "_r1"
          where "_r1"."id" = {row}."category_id" and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
        )
      `,
      presets: {
        tenant_id: `{session.x-engine-tenant-id::integer}`,
        author_id: `{session.x-engine-user-id::integer}`,
      },
    },
  },
  update: {
    agent: {
      columns: [
        "category_id",
        "title",
        "slug",
        "body",
        "audience",
      ],
      where: `{row}."author_id" = {session.x-engine-user-id::integer} and {row}."published_at" is null`,
      check: `
        {row}."category_id" is null
        or exists (
          select 1
          from "public"."category" as "_r1"
          where "_r1"."id" = {row}."category_id" and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
        )
      `,
      presets: { updated_at: `now()` },
    },
    manager: {
      columns: [
        "category_id",
        "title",
        "slug",
        "body",
        "audience",
        "published_at",
      ],
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
      check: `
        {row}."category_id" is null
        or exists (
          select 1
          from "public"."category" as "_r1"
          where "_r1"."id" = {row}."category_id" and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
        )
      `,
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
