// default · public.rating · access
import { access } from "engine/contract";
import { rating } from "./rating.table.ts";

export const ratingAccess = access(rating, {
  select: {
    agent: {
      columns: [
        "ticket_id",
        "score",
        "comment",
        "created_at",
      ],
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
    },
    customer: {
      columns: [
        "ticket_id",
        "score",
        "comment",
        "created_at",
      ],
      where: `
        exists (
          select 1
          from "public"."ticket" as "_r1"
          where "_r1"."id" = {row}."ticket_id" and "_r1"."customer_id" = {session.x-engine-user-id::integer}
        )
      `,
    },
    manager: {
      columns: [
        "ticket_id",
        "score",
        "comment",
        "created_at",
      ],
      where: `
        exists (
          select 1
          from "public"."ticket" as "_r1"
          where "_r1"."id" = {row}."ticket_id" and "_r1"."tenant_id" = {session.x-engine-tenant-id::integer}
        )
      `,
      aggregations: true,
    },
  },
  insert: {
    customer: {
      columns: [
        "ticket_id",
        "score",
        "comment",
      ],
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
      columns: [
        "score",
        "comment",
      ],
      where: `
        exists (
          select 1
          from "public"."ticket" as "_r1"
          where "_r1"."id" = {row}."ticket_id" and "_r1"."customer_id" = {session.x-engine-user-id::integer}
        )
      `,
    },
  },
});
