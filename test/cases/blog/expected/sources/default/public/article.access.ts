// default · public.article · access
import { access } from "engine/contract";
import { article } from "./article.table.ts";

const readerSelect = `
  {row}."status" = 'published'
  or exists (
    select 1
    from "public"."author" as "_r1"
      join "public"."company" as "_r2" on "_r2"."id" = "_r1"."company_id"
    where "_r1"."id" = {row}."author_id"
      and exists (
        select 1
        from "public"."member" as "_r3"
        where "_r3"."company_id" = "_r2"."id" and "_r3"."user_id" = {session.x-engine-user-id::integer}
      )
  )
  or exists (
    select 1
    from "public"."member" as "_r4"
    where "_r4"."company_id" is not null
      and "_r4"."role" = 'owner'
      and "_r4"."user_id" = {session.x-engine-user-id::integer}
  )
`;

const readerInsertCheck = `
  exists (
    select 1
    from "public"."author" as "_r1"
      join "public"."company" as "_r2" on "_r2"."id" = "_r1"."company_id"
    where "_r1"."id" = {row}."author_id"
      and exists (
        select 1
        from "public"."member" as "_r3"
        where "_r3"."company_id" = "_r2"."id" and "_r3"."user_id" = {session.x-engine-user-id::integer}
      )
  )
`;

export const articleAccess = access(article, {
  select: {
    reader: {
      columns: ["id", "author_id", "title", "status", "rating"],
      computedFields: ["excerpt"],
      where: readerSelect,
      limit: 100,
      aggregations: true,
      cells: {
        status: readerSelect,
        rating: readerSelect,
        excerpt: `{row}."status" = 'published'`,
      },
    },
    user: {
      columns: ["id", "author_id", "title", "status", "rating"],
      where: readerSelect,
      limit: 100,
      aggregations: true,
    },
    visitor: {
      columns: ["id", "author_id", "title"],
      computedFields: ["excerpt"],
      where: `{row}."status" = 'published'`,
      limit: 20,
      queryRoots: ["select"],
      subscriptionRoots: [],
    },
  },
  insert: {
    reader: {
      columns: ["author_id", "title", "slug", "tags", "meta"],
      check: readerInsertCheck,
      presets: {
        editor_id: `{session.x-engine-user-id::integer}`,
        status: `'draft'::text`,
        rating: `2.5`,
        published_on: `null::timestamptz`,
      },
    },
    user: {
      columns: ["author_id", "title", "slug", "tags", "meta"],
      check: readerInsertCheck,
      presets: {
        editor_id: `{session.x-engine-user-id::integer}`,
        status: `'draft'::text`,
        rating: `2.5`,
        published_on: `null::timestamptz`,
      },
    },
  },
  update: {
    reader: {
      columns: ["id", "author_id", "editor_id", "title", "slug", "status", "meta", "rating", "published_on"],
      where: `{row}."author_id" = {session.x-engine-user-id::integer} and {row}."status" in ('draft', 'published')`,
      backendOnly: true,
      presets: { tags: `array['edited', 'it''s']::text[]` },
    },
    user: {
      columns: ["id", "author_id", "editor_id", "title", "slug", "status", "meta", "rating", "published_on"],
      where: `{row}."author_id" = {session.x-engine-user-id::integer} and {row}."status" in ('draft', 'published')`,
      backendOnly: true,
      presets: { tags: `array['edited', 'it''s']::text[]` },
    },
  },
  delete: {
    reader: {
      where: `{row}."author_id" = {session.x-engine-user-id::integer} and {row}."status" = 'draft'`,
    },
    user: {
      where: `{row}."author_id" = {session.x-engine-user-id::integer} and {row}."status" = 'draft'`,
    },
  },
});
