// default · public.tag · access
import { access } from "engine/contract";
import { tag } from "./tag.table.ts";

export const tagAccess = access(tag, {
  select: {
    agent: {
      columns: ["id", "name", "color"],
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
      implies: {
        tenant: "386c774c413c27ff5db7c181b55ecdca",
        tickets: "f7ff5fd7a972c735afda6ca8e9d5ec36",
      },
    },
    manager: {
      columns: ["id", "name", "color"],
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
      aggregations: true,
      implies: {
        tenant: "386c774c413c27ff5db7c181b55ecdca",
        tickets: "f7ff5fd7a972c735afda6ca8e9d5ec36",
      },
    },
  },
  insert: {
    agent: {
      columns: ["name", "color"],
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
