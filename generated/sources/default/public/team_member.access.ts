// default · public.team_member · access
import { access } from "engine/contract";
import { teamMember } from "./team_member.table.ts";

const agentSelect = `
  exists (
    select 1
    from "public"."team" as "_r1"
    where "_r1"."id" = {row}."team_id" and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
  )
`;

export const teamMemberAccess = access(teamMember, {
  select: {
    agent: {
      columns: ["team_id", "agent_id", "is_lead"],
      where: agentSelect,
      implies: { team: "90bd1f690344a725abcf014b80de62d3" },
    },
    manager: {
      columns: ["team_id", "agent_id", "is_lead", "joined_at"],
      where: agentSelect,
      aggregations: true,
      implies: { team: "90bd1f690344a725abcf014b80de62d3" },
    },
  },
  insert: {
    manager: {
      columns: ["team_id", "agent_id", "is_lead", "joined_at"],
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
      where: agentSelect,
    },
  },
  delete: {
    manager: {
      where: agentSelect,
    },
  },
});
