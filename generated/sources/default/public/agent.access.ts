// default · public.agent · access
import { access } from "engine/contract";
import { agent } from "./agent.table.ts";

export const agentAccess = access(agent, {
  select: {
    agent: {
      columns: ["id", "name", "email", "signature", "is_active", "created_at"],
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
      implies: { tenant: "317dc00e3b749432f2d5ef42697e49d6" },
    },
    customer: {
      columns: ["id", "name", "signature"],
      where: `
        exists (
          select 1
          from "public"."message" as "_r1"
            join "public"."ticket" as "_r2" on "_r2"."id" = "_r1"."ticket_id"
          where "_r1"."author_agent_id" = {row}."id"
            and "_r1"."is_internal" = false
            and "_r2"."customer_id" = {session.x-engine-user-id::integer}
        )
      `,
    },
    manager: {
      columns: ["id", "name", "email", "signature", "is_active", "hourly_cost", "created_at"],
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
      aggregations: true,
      implies: { tenant: "317dc00e3b749432f2d5ef42697e49d6" },
    },
  },
  update: {
    agent: {
      columns: ["name", "signature"],
      where: `{row}."id" = {session.x-engine-user-id::integer}`,
    },
    manager: {
      columns: ["name", "signature", "is_active", "hourly_cost"],
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
    },
  },
});
