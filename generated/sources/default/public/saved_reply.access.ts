// default · public.saved_reply · access
import { access } from "engine/contract";
import { savedReply } from "./saved_reply.table.ts";

export const savedReplyAccess = access(savedReply, {
  select: {
    agent: {
      columns: ["id", "team_id", "title", "body"],
      where: `
        {row}."tenant_id" = {session.x-engine-tenant-id::integer}
        and ({row}."team_id" is null or {row}."team_id" = any ({session.x-engine-team-ids::integer[]}))
      `,
      implies: { tenant: "d3cb6ac4a796de022e80716fc2cd5dc2" },
    },
    manager: {
      columns: ["id", "team_id", "title", "body"],
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
      implies: { tenant: "0b9a0abd819cf596da02030e6a522292" },
    },
  },
  insert: {
    agent: {
      columns: ["team_id", "title", "body"],
      check: `{row}."team_id" = any ({session.x-engine-team-ids::integer[]})`,
      presets: { tenant_id: `{session.x-engine-tenant-id::integer}` },
    },
  },
  update: {
    agent: {
      columns: ["title", "body"],
      where: `{row}."team_id" = any ({session.x-engine-team-ids::integer[]})`,
    },
  },
  delete: {
    manager: {
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
    },
  },
});
