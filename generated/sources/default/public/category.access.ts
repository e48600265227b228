// default · public.category · access
import { access } from "engine/contract";
import { category } from "./category.table.ts";

export const categoryAccess = access(category, {
  select: {
    agent: {
      columns: ["id", "parent_id", "name", "position"],
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
      implies: { tenant: "ac1e1bb9ef645b3e53d5e3f19b228132" },
    },
    customer: {
      columns: ["id", "parent_id", "name", "position"],
      where: `
        exists (
          select 1
          from "public"."tenant" as "_r1"
          where "_r1"."id" = {row}."tenant_id"
            and exists (
              select 1
              from "public"."customer" as "_r2"
              where "_r2"."tenant_id" = "_r1"."id" and "_r2"."id" = {session.x-engine-user-id::integer}
            )
        )
      `,
      implies: { tenant: "dde6759b6cce43731ddea51c88d47ae2" },
    },
    manager: {
      columns: ["id", "parent_id", "name", "position"],
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
      implies: { tenant: "ac1e1bb9ef645b3e53d5e3f19b228132" },
    },
    public: {
      columns: ["id", "name", "position"],
      where: `
        exists (
          select 1
          from "public"."article" as "_r1"
          where "_r1"."category_id" = {row}."id"
            and "_r1"."audience" = 'everyone'
            and "_r1"."published_at" is not null
        )
      `,
      limit: 100,
    },
  },
  insert: {
    manager: {
      columns: ["parent_id", "name", "position"],
      check: `
        {row}."parent_id" is null
        or exists (
          select 1
          from "public"."category" as "_r1"
          where "_r1"."id" = {row}."parent_id" and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
        )
      `,
      presets: { tenant_id: `{session.x-engine-tenant-id::integer}` },
    },
  },
});
