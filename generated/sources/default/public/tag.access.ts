// default · public.tag · access
import { access } from "engine/contract";
import { tag } from "./tag.table.ts";

export const tagAccess = access(tag, {
  select: {
    agent: {
      columns: [
        "id",
        "name",
        "color",
      ],
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
    },
    manager: {
      columns: [
        "id",
        "name",
        "color",
      ],
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
      aggregations: true,
    },
  },
  insert: {
    agent: {
      columns: [
        "name",
        "color",
      ],
      check: `{row}."name" ~ '^[a-z][a-z ]*$'`,
      presets: { tenant_id: `{session.x-engine-tenant-id::integer}` },
    },
  },
  delete: {
    manager: {
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
    },
  },
});
