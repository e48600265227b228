// default · public.ticket_tag · access
import { access } from "engine/contract";
import { ticketTag } from "./ticket_tag.table.ts";

const agentSelect = `
  exists (
    select 1
    from "public"."tag" as "_r1"
    where "_r1"."id" = {row}."tag_id" and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
  )
`;

export const ticketTagAccess = access(ticketTag, {
  select: {
    agent: {
      columns: ["ticket_id", "tag_id"],
      where: agentSelect,
      implies: { tag: "028124db6c2871137f25b515399eda38" },
    },
    manager: {
      columns: ["ticket_id", "tag_id"],
      where: agentSelect,
      aggregations: true,
      implies: { tag: "028124db6c2871137f25b515399eda38" },
    },
  },
  insert: {
    agent: {
      columns: ["ticket_id", "tag_id"],
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
      where: agentSelect,
    },
  },
});
