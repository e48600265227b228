// default · public.message · access
import { access } from "engine/contract";
import { message } from "./message.table.ts";

const managerSelect = `
  exists (
    select 1
    from "public"."ticket" as "_r1"
    where "_r1"."id" = {row}."ticket_id" and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
  )
`;

export const messageAccess = access(message, {
  select: {
    agent: {
      columns: ["id", "ticket_id", "author_agent_id", "author_customer_id", "body", "is_internal", "created_at"],
      where: `
        exists (
          select 1
          from "public"."ticket" as "_r1"
          where "_r1"."id" = {row}."ticket_id"
            and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
            and (
              "_r1"."assignee_id" = {session.x-engine-user-id::integer}
              or exists (
                select 1
                from "public"."team" as "_r2"
                where "_r2"."tenant_id" = "_r1"."tenant_id"
                  and "_r2"."id" = "_r1"."team_id"
                  and exists (
                    select 1
                    from "public"."team_member" as "_r3"
                    where "_r3"."team_id" = "_r2"."id" and "_r3"."agent_id" = {session.x-engine-user-id::integer}
                  )
              )
              or "_r1"."team_id" is null
            )
        )
      `,
      aggregations: true,
      implies: {
        attachments: "c16cc2bd16ead9c251e61463ab7e3c2d",
        ticket: "e72319bea5a1913be9284fb5968fdc66",
      },
    },
    customer: {
      columns: ["id", "body", "created_at"],
      where: `
        {row}."is_internal" = false
        and exists (
          select 1
          from "public"."ticket" as "_r1"
          where "_r1"."id" = {row}."ticket_id" and "_r1"."customer_id" = {session.x-engine-user-id::integer}
        )
      `,
      limit: 200,
      implies: {
        attachments: "a9b14d376f1787b4ec6ba61907086111",
        author_agent: "ec6ec69af617c830c107911ec7228fcd",
      },
    },
    manager: {
      columns: ["id", "ticket_id", "author_agent_id", "author_customer_id", "body", "is_internal", "created_at"],
      where: managerSelect,
      aggregations: true,
      implies: {
        attachments: "64ea53f2397d664dcabf733b34c6deff",
        ticket: "23086841af770d02c0a6c54337e2302e",
      },
    },
  },
  insert: {
    agent: {
      columns: ["ticket_id", "body", "is_internal"],
      check: managerSelect,
      presets: { author_agent_id: `{session.x-engine-user-id::integer}` },
    },
    customer: {
      columns: ["ticket_id", "body"],
      check: `
        exists (
          select 1
          from "public"."ticket" as "_r1"
          where "_r1"."id" = {row}."ticket_id"
            and "_r1"."customer_id" = {session.x-engine-user-id::integer}
            and "_r1"."status" <> 'closed'
        )
      `,
      presets: {
        author_customer_id: `{session.x-engine-user-id::integer}`,
        is_internal: `false`,
      },
    },
  },
  update: {
    agent: {
      columns: ["body"],
      where: `{row}."author_agent_id" = {session.x-engine-user-id::integer} and {row}."is_internal" = true`,
    },
  },
});
