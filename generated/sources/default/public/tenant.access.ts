// default · public.tenant · access
import { access, EVERY_ROW } from "engine/contract";
import { tenant } from "./tenant.table.ts";

export const tenantAccess = access(tenant, {
  select: {
    agent: {
      columns: ["id", "name", "subdomain", "plan"],
      where: `{row}."id" = {session.x-engine-tenant-id::integer}`,
      implies: {
        agents: "ff95407d09a17c71c0e56aa4b4271630",
        categories: "6d473513c83daa579bafab69ef26114d",
        customers: "9acd3e8c7b1cf5338b156bd7ed74c07c",
        teams: "0f4192399f04e319aacc50c8d50e0bd4",
      },
    },
    customer: {
      columns: ["id", "name", "subdomain"],
      where: `
        exists (
          select 1
          from "public"."customer" as "_r1"
          where "_r1"."tenant_id" = {row}."id" and "_r1"."id" = {session.x-engine-user-id::integer}
        )
      `,
      implies: { categories: "2875222b81012757c48944fd07c5d389" },
    },
    manager: {
      columns: ["id", "name", "subdomain", "plan", "billing_email", "created_at"],
      where: `{row}."id" = {session.x-engine-tenant-id::integer}`,
      implies: {
        agents: "ff95407d09a17c71c0e56aa4b4271630",
        articles: "593f84f53fdb25f527e92f9159e662d3",
        categories: "6d473513c83daa579bafab69ef26114d",
        customers: "9acd3e8c7b1cf5338b156bd7ed74c07c",
        teams: "0f4192399f04e319aacc50c8d50e0bd4",
        tickets: "1f59d9f52e121823cb6b209732f1dad9",
      },
    },
    public: {
      columns: ["name", "subdomain"],
      where: EVERY_ROW,
      limit: 50,
    },
  },
  update: {
    manager: {
      columns: ["name", "billing_email"],
      where: `{row}."id" = {session.x-engine-tenant-id::integer}`,
    },
  },
});
