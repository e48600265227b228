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
      implies: {
        tenant: "386c774c413c27ff5db7c181b55ecdca",
        tickets: "afc503ff786329b909c229e4a4040fe0",
      },
    },
    manager: {
      columns: [
        "id",
        "name",
        "color",
      ],
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
      aggregations: true,
      implies: {
        tenant: "386c774c413c27ff5db7c181b55ecdca",
        tickets: "afc503ff786329b909c229e4a4040fe0",
      },
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
