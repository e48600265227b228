// default · public.tenant · access
import { access, EVERY_ROW } from "engine/contract";
import { tenant } from "./tenant.table.ts";

export const tenantAccess = access(tenant, {
  select: {
    agent: {
      columns: [
        "id",
        "name",
        "subdomain",
        "plan",
      ],
      where: `{row}."id" = {session.x-engine-tenant-id::integer}`,
    },
    customer: {
      columns: [
        "id",
        "name",
        "subdomain",
      ],
      where: `
        exists (
          select 1
          from "public"."customer" as "_r1"
          where "_r1"."tenant_id" = {row}."id" and "_r1"."id" = {session.x-engine-user-id::integer}
        )
      `,
    },
    manager: {
      columns: [
        "id",
        "name",
        "subdomain",
        "plan",
        "billing_email",
        "created_at",
      ],
      where: `{row}."id" = {session.x-engine-tenant-id::integer}`,
    },
    public: {
      columns: [
        "name",
        "subdomain",
      ],
      where: EVERY_ROW,
      limit: 50,
    },
  },
  update: {
    manager: {
      columns: [
        "name",
        "billing_email",
      ],
      where: `{row}."id" = {session.x-engine-tenant-id::integer}`,
    },
  },
});
