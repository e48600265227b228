// default · public.ticket_event · access
import { access } from "engine/contract";
import { ticketEvent } from "./ticket_event.table.ts";

export const ticketEventAccess = access(ticketEvent, {
  select: {
    agent: {
      columns: ["id", "ticket_id", "agent_id", "kind", "details", "created_at"],
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
      implies: { ticket: "b66a00d7ba63db6a73cfb9dc5313fdfd" },
    },
    customer: {
      columns: ["kind", "details", "created_at"],
      where: `
        {row}."kind" = 'status_changed'
        and exists (
          select 1
          from "public"."ticket" as "_r1"
          where "_r1"."id" = {row}."ticket_id" and "_r1"."customer_id" = {session.x-engine-user-id::integer}
        )
      `,
    },
    manager: {
      columns: ["id", "ticket_id", "agent_id", "kind", "details", "created_at"],
      where: `
        exists (
          select 1
          from "public"."ticket" as "_r1"
          where "_r1"."id" = {row}."ticket_id" and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
        )
      `,
      aggregations: true,
      implies: { ticket: "c48b010c97d761ab177b08739270d562" },
    },
  },
});
