// default · public.attachment · access
import { access } from "engine/contract";
import { attachment } from "./attachment.table.ts";

export const attachmentAccess = access(attachment, {
  select: {
    agent: {
      columns: ["id", "message_id", "file_name", "content_type", "byte_size", "created_at"],
      where: `
        exists (
          select 1
          from "public"."message" as "_r1"
            join "public"."ticket" as "_r2" on "_r2"."id" = "_r1"."ticket_id"
          where "_r1"."id" = {row}."message_id"
            and "_r2"."tenant_id" = {session.x-engine-tenant-id::integer}
            and (
              "_r2"."assignee_id" = {session.x-engine-user-id::integer}
              or exists (
                select 1
                from "public"."team" as "_r3"
                where "_r3"."tenant_id" = "_r2"."tenant_id"
                  and "_r3"."id" = "_r2"."team_id"
                  and exists (
                    select 1
                    from "public"."team_member" as "_r4"
                    where "_r4"."team_id" = "_r3"."id" and "_r4"."agent_id" = {session.x-engine-user-id::integer}
                  )
              )
              or "_r2"."team_id" is null
            )
        )
      `,
      implies: { message: "ce1788be995a5e77f62f0b553a93e3fb" },
    },
    customer: {
      columns: ["id", "file_name", "content_type", "byte_size"],
      where: `
        exists (
          select 1
          from "public"."message" as "_r1"
            join "public"."ticket" as "_r2" on "_r2"."id" = "_r1"."ticket_id"
          where "_r1"."id" = {row}."message_id"
            and "_r1"."is_internal" = false
            and "_r2"."customer_id" = {session.x-engine-user-id::integer}
        )
      `,
      implies: { message: "300a2995483c7213ccf870ac575342e5" },
    },
    manager: {
      columns: ["id", "message_id", "file_name", "content_type", "byte_size", "created_at"],
      where: `
        exists (
          select 1
          from "public"."message" as "_r1"
            join "public"."ticket" as "_r2" on "_r2"."id" = "_r1"."ticket_id"
          where "_r1"."id" = {row}."message_id" and "_r2"."tenant_id" = {session.x-engine-tenant-id::integer}
        )
      `,
      aggregations: true,
      implies: { message: "cb1526d37b89b6bef6b8bafeb8e70684" },
    },
  },
  insert: {
    agent: {
      columns: ["message_id", "file_name", "content_type", "byte_size", "storage_key"],
      check: `
        exists (
          select 1
          from "public"."message" as "_r1"
          where "_r1"."id" = {row}."message_id" and "_r1"."author_agent_id" = {session.x-engine-user-id::integer}
        )
      `,
      backendOnly: true,
    },
    customer: {
      columns: ["message_id", "file_name", "content_type", "byte_size", "storage_key"],
      check: `
        {row}."byte_size" <= 20000000
        and exists (
          select 1
          from "public"."message" as "_r1"
          where "_r1"."id" = {row}."message_id" and "_r1"."author_customer_id" = {session.x-engine-user-id::integer}
        )
      `,
      backendOnly: true,
    },
  },
});
