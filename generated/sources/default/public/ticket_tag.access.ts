// default · public.ticket_tag · access
import { access } from "engine/contract";
import { ticketTag } from "./ticket_tag.table.ts";

export const ticketTagAccess = access(ticketTag, {
  select: {
    agent: {
      columns: [
        "ticket_id",
        "tag_id",
      ],
      where: `
        exists (
          select 1
          from "public"."tag" as "_r1"
          where "_r1"."id" = {row}."tag_id" and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
        )
      `,
      implies: { tag: "ad2ab05809f965b08d145ac983871862" },
    },
    manager: {
      columns: [
        "ticket_id",
        "tag_id",
      ],
      where: `
        exists (
          select 1
          from "public"."tag" as "_r1"
          where "_r1"."id" = {row}."tag_id" and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
        )
      `,
      aggregations: true,
      implies: { tag: "ad2ab05809f965b08d145ac983871862" },
    },
  },
  insert: {
    agent: {
      columns: [
        "ticket_id",
        "tag_id",
      ],
      check: `
        exists (
          select 1
          from "public"."tag" as "_r1"
          where "_r1"."id" = {row}."tag_id" and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
        )
        and exists (
          select 1
          from "public"."ticket" as "_r2"
          where "_r2"."id" = {row}."ticket_id" and "_r2"."tenant_id" = {session.x-engine-tenant-id::integer}
        )
      `,
    },
  },
  delete: {
    agent: {
      where: `
        exists (
          select 1
          from "public"."tag" as "_r1"
          where "_r1"."id" = {row}."tag_id" and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
        )
      `,
    },
  },
});
