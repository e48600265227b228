// default · public.team_member · access
import { access } from "engine/contract";
import { teamMember } from "./team_member.table.ts";

export const teamMemberAccess = access(teamMember, {
  select: {
    agent: {
      columns: [
        "team_id",
        "agent_id",
        "is_lead",
      ],
      where: `
        exists (
          select 1
          from "public"."team" as "_r1"
          where "_r1"."id" = {row}."team_id" and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
        )
      `,
      implies: { team: "95e4ff0a4b087a1b43b5a3396f1cb02e" },
    },
    manager: {
      columns: [
        "team_id",
        "agent_id",
        "is_lead",
        "joined_at",
      ],
      where: `
        exists (
          select 1
          from "public"."team" as "_r1"
          where "_r1"."id" = {row}."team_id" and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
        )
      `,
      aggregations: true,
      implies: { team: "95e4ff0a4b087a1b43b5a3396f1cb02e" },
    },
  },
  insert: {
    manager: {
      columns: [
        "team_id",
        "agent_id",
        "is_lead",
        "joined_at",
      ],
      check: `
        exists (
          select 1
          from "public"."agent" as "_r1"
          where "_r1"."id" = {row}."agent_id" and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
        )
        and exists (
          select 1
          from "public"."team" as "_r2"
          where "_r2"."id" = {row}."team_id" and "_r2"."tenant_id" = {session.x-engine-tenant-id::integer}
        )
      `,
    },
  },
  update: {
    manager: {
      columns: ["is_lead"],
      where: `
        exists (
          select 1
          from "public"."team" as "_r1"
          where "_r1"."id" = {row}."team_id" and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
        )
      `,
    },
  },
  delete: {
    manager: {
      where: `
        exists (
          select 1
          from "public"."team" as "_r1"
          where "_r1"."id" = {row}."team_id" and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
        )
      `,
    },
  },
});
