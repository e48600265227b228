// default · public.ticket · access
import { access } from "engine/contract";
import { ticket } from "./ticket.table.ts";

const agentSelect = `
  {row}."tenant_id" = {session.x-engine-tenant-id::integer}
  and (
    {row}."assignee_id" = {session.x-engine-user-id::integer}
    or exists (
      select 1
      from "public"."team" as "_r1"
      where "_r1"."tenant_id" = {row}."tenant_id"
        and "_r1"."id" = {row}."team_id"
        and exists (
          select 1
          from "public"."team_member" as "_r2"
          where "_r2"."team_id" = "_r1"."id" and "_r2"."agent_id" = {session.x-engine-user-id::integer}
        )
    )
    or {row}."team_id" is null
  )
`;

const agentInsertCheck = `
  (
    {row}."assignee_id" is null
    or exists (
      select 1
      from "public"."agent" as "_r1"
      where "_r1"."id" = {row}."assignee_id" and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
    )
  )
  and exists (
    select 1
    from "public"."customer" as "_r2"
    where "_r2"."id" = {row}."customer_id" and "_r2"."tenant_id" = {session.x-engine-tenant-id::integer}
  )
`;

export const ticketAccess = access(ticket, {
  select: {
    agent: {
      columns: [
        "id",
        "customer_id",
        "team_id",
        "assignee_id",
        "subject",
        "status",
        "priority",
        "channel",
        "created_at",
        "updated_at",
        "solved_at",
      ],
      where: agentSelect,
      aggregations: true,
      implies: {
        events: "1302cb61a46a688178b7e49cda6657ad",
        messages: "124e166ea32027d5084c94fb3cae82db",
        team: "c3c243a4d509f1356a6c211291a8e6d8",
        tenant: "a0d85daf71478da2801cdcbbc6942ced",
      },
    },
    customer: {
      columns: ["id", "subject", "status", "created_at", "updated_at", "solved_at"],
      where: `
        {row}."customer_id" = {session.x-engine-user-id::integer}
        and not exists (
          select 1
          from "public"."ticket_tag" as "_r1"
            join "public"."tag" as "_r2" on "_r2"."id" = "_r1"."tag_id"
          where "_r1"."ticket_id" = {row}."id" and "_r2"."name" = 'spam'
        )
      `,
      limit: 100,
      implies: {
        customer: "489b15a6157ce2f9c02ce603a911231a",
        rating: "b0289c17cf9b4766f1ff6240c87e5d75",
      },
    },
    manager: {
      columns: [
        "id",
        "tenant_id",
        "customer_id",
        "team_id",
        "assignee_id",
        "subject",
        "status",
        "priority",
        "channel",
        "created_at",
        "updated_at",
        "solved_at",
      ],
      computedFields: ["hours_to_solve"],
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
      aggregations: true,
      implies: {
        events: "99c95e7b436ae6a24b9980724d8df876",
        messages: "499dd687fe4524a2def799284caf959e",
        rating: "491f51b53f6531ea27369768a7ea9158",
        team: "85bc0132aa477a9a5dd4ed8ca40da29a",
        tenant: "fb5c06b536b6c222c80fb665937f1b0d",
      },
    },
  },
  insert: {
    agent: {
      columns: ["customer_id", "team_id", "assignee_id", "subject", "priority", "channel"],
      check: agentInsertCheck,
      presets: { tenant_id: `{session.x-engine-tenant-id::integer}` },
    },
    customer: {
      columns: ["subject"],
      check: `
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
      presets: {
        tenant_id: `{session.x-engine-tenant-id::integer}`,
        customer_id: `{session.x-engine-user-id::integer}`,
        channel: `'web'::text`,
      },
    },
  },
  update: {
    agent: {
      columns: ["team_id", "assignee_id", "subject", "status", "priority"],
      where: agentSelect,
      check: `
        {row}."assignee_id" is null
        or exists (
          select 1
          from "public"."agent" as "_r1"
          where "_r1"."id" = {row}."assignee_id"
            and "_r1"."is_active" = true
            and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
        )
      `,
      presets: { updated_at: `now()` },
    },
    customer: {
      columns: ["status"],
      where: `{row}."customer_id" = {session.x-engine-user-id::integer} and {row}."status" <> 'closed'`,
      check: `{row}."status" in ('open', 'closed')`,
      presets: { updated_at: `now()` },
    },
    manager: {
      columns: ["customer_id", "team_id", "assignee_id", "subject", "status", "priority"],
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
      check: agentInsertCheck,
      presets: { updated_at: `now()` },
    },
  },
  delete: {
    manager: {
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
    },
  },
});
