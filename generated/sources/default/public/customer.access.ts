// default · public.customer · access
import { access, EVERY_ROW } from "engine/contract";
import { customer } from "./customer.table.ts";

export const customerAccess = access(customer, {
  select: {
    agent: {
      columns: ["id", "name", "email", "phone", "is_verified", "internal_notes", "created_at"],
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
      implies: { tenant: "728e250ff3ae6d50ffc09d8d7cfc19e3" },
    },
    customer: {
      columns: ["id", "name", "email", "phone", "is_verified"],
      where: `{row}."id" = {session.x-engine-user-id::integer}`,
      implies: {
        article_feedback: "921887daabfeac057e4a84eb9154dc9c",
        tenant: "a45ef644dce19e2cea4080944503758d",
      },
    },
    manager: {
      columns: ["id", "name", "email", "phone", "is_verified", "internal_notes", "created_at"],
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
      aggregations: true,
      implies: { tenant: "728e250ff3ae6d50ffc09d8d7cfc19e3" },
    },
  },
  insert: {
    agent: {
      columns: ["name", "email", "phone", "internal_notes"],
      check: EVERY_ROW,
      presets: { tenant_id: `{session.x-engine-tenant-id::integer}` },
    },
  },
  update: {
    agent: {
      columns: ["name", "phone", "internal_notes"],
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
    },
    customer: {
      columns: ["name", "phone"],
      where: `{row}."id" = {session.x-engine-user-id::integer}`,
    },
  },
  delete: {
    manager: {
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
    },
  },
});
