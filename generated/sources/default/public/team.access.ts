// default · public.team · access
import { access, EVERY_ROW } from "engine/contract";
import { team } from "./team.table.ts";

export const teamAccess = access(team, {
  select: {
    agent: {
      columns: ["id", "name"],
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
      implies: {
        members: "dab2b930d112882943e42d4d072d4bda",
        tenant: "4248adc8f53211dc2885ace5fd219c6e",
      },
    },
    manager: {
      columns: ["id", "name"],
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
      aggregations: true,
      implies: {
        members: "dab2b930d112882943e42d4d072d4bda",
        tenant: "4248adc8f53211dc2885ace5fd219c6e",
        tickets: "d7b7f37b53b89e600cc1b378c1adfcc8",
      },
    },
  },
  insert: {
    manager: {
      columns: ["name"],
      check: EVERY_ROW,
      presets: { tenant_id: `{session.x-engine-tenant-id::integer}` },
    },
  },
  update: {
    manager: {
      columns: ["name"],
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
    },
  },
  delete: {
    manager: {
      where: `
        {row}."tenant_id" = {session.x-engine-tenant-id::integer}
        and not exists (
          select 1
          from "public"."ticket" as "_r1"
          where "_r1"."tenant_id" = {row}."tenant_id" and "_r1"."team_id" = {row}."id"
        )
      `,
    },
  },
});
