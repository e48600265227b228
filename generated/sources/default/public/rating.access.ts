// default · public.rating · access
import { access } from "engine/contract";
import { rating } from "./rating.table.ts";

const customerSelect = `
  exists (
    select 1
    from "public"."ticket" as "_r1"
    where "_r1"."id" = {row}."ticket_id" and "_r1"."customer_id" = {session.x-engine-user-id::integer}
  )
`;

export const ratingAccess = access(rating, {
  select: {
    agent: {
      columns: ["ticket_id", "score", "comment", "created_at"],
      where: `
        exists (
          select 1
          from "public"."ticket" as "_r1"
          where "_r1"."id" = {row}."ticket_id"
            and "_r1"."assignee_id" = {session.x-engine-user-id::integer}
            and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
        )
      `,
      aggregations: true,
      implies: { ticket: "6efe893731d90ccd722448c8cf9b586a" },
    },
    customer: {
      columns: ["ticket_id", "score", "comment", "created_at"],
      where: customerSelect,
    },
    manager: {
      columns: ["ticket_id", "score", "comment", "created_at"],
      where: `
        exists (
          select 1
          from "public"."ticket" as "_r1"
          where "_r1"."id" = {row}."ticket_id" and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
        )
      `,
      aggregations: true,
      implies: { ticket: "3ee9ed2570bc5a8c92cc9531690f0ceb" },
    },
  },
  insert: {
    customer: {
      columns: ["ticket_id", "score", "comment"],
      check: `
        exists (
          select 1
          from "public"."ticket" as "_r1"
          where "_r1"."id" = {row}."ticket_id"
            and "_r1"."customer_id" = {session.x-engine-user-id::integer}
            and "_r1"."status" in ('solved', 'closed')
        )
      `,
    },
  },
  update: {
    customer: {
      columns: ["score", "comment"],
      where: customerSelect,
    },
  },
});
