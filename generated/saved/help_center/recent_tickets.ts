// help_center · recent_tickets · saved operation
import { savedOperation } from "engine/contract";

export const recentTicketsOperation = savedOperation({
  collection: "help_center",
  name: "recent_tickets",
  kind: "query",
  variables: {
    limit: { type: "Int", default: 20 },
  },
  document: `query recent_tickets($limit: Int = 20) {
  ticket(order_by: { created_at: desc }, limit: $limit) {
    id
    subject
    status
  }
}
`,
  plans: [
    {
      roles: ["admin"],
      when: { limit: "value" },
      steps: [
        {
          source: "default",
          sql: `
            select (
              select coalesce(json_agg("rows#2"), '[]')
              from (
                select
                  "ticket#1"."id" as "id",
                  "ticket#1"."subject" as "subject",
                  "ticket#1"."status" as "status"
                from "public"."ticket" as "ticket#1"
                order by "ticket#1"."created_at" desc
                limit ($1)::bigint
              ) as "rows#2"
            )::text
          `,
          parameters: [
            { variable: "limit", encoding: { as: "argument", scalar: "Int", accepts: "count" }, path: "$.selectionSet.ticket.args.limit" },
          ],
        },
      ],
      answer: ["{\"ticket\":", { step: 0, column: 0 }, "}"],
    },
    {
      roles: ["admin"],
      when: { limit: "null" },
      steps: [
        {
          source: "default",
          sql: `
            select (
              select coalesce(json_agg("rows#2"), '[]')
              from (
                select
                  "ticket#1"."id" as "id",
                  "ticket#1"."subject" as "subject",
                  "ticket#1"."status" as "status"
                from "public"."ticket" as "ticket#1"
                order by "ticket#1"."created_at" desc
              ) as "rows#2"
            )::text
          `,
          parameters: [],
        },
      ],
      answer: ["{\"ticket\":", { step: 0, column: 0 }, "}"],
    },
    {
      roles: ["agent"],
      when: { limit: "value" },
      steps: [
        {
          source: "default",
          sql: `
            select (
              select coalesce(json_agg("rows#2"), '[]')
              from (
                select
                  "ticket#1"."id" as "id",
                  "ticket#1"."subject" as "subject",
                  "ticket#1"."status" as "status"
                from "public"."ticket" as "ticket#1"
                where (
                  "ticket#1"."tenant_id" = ($1)::integer
                  and (
                    "ticket#1"."assignee_id" = ($2)::integer
                    or exists (
                      select 1
                      from "public"."team" as "_r1"
                      where "_r1"."tenant_id" = "ticket#1"."tenant_id"
                        and "_r1"."id" = "ticket#1"."team_id"
                        and exists (
                          select 1
                          from "public"."team_member" as "_r2"
                          where "_r2"."team_id" = "_r1"."id" and "_r2"."agent_id" = ($2)::integer
                        )
                    )
                    or "ticket#1"."team_id" is null
                  )
                )
                order by "ticket#1"."created_at" desc
                limit ($3)::bigint
              ) as "rows#2"
            )::text
          `,
          parameters: [
            { session: "x-engine-tenant-id" },
            { session: "x-engine-user-id" },
            { variable: "limit", encoding: { as: "argument", scalar: "Int", accepts: "count" }, path: "$.selectionSet.ticket.args.limit" },
          ],
        },
      ],
      answer: ["{\"ticket\":", { step: 0, column: 0 }, "}"],
    },
    {
      roles: ["agent"],
      when: { limit: "null" },
      steps: [
        {
          source: "default",
          sql: `
            select (
              select coalesce(json_agg("rows#2"), '[]')
              from (
                select
                  "ticket#1"."id" as "id",
                  "ticket#1"."subject" as "subject",
                  "ticket#1"."status" as "status"
                from "public"."ticket" as "ticket#1"
                where (
                  "ticket#1"."tenant_id" = ($1)::integer
                  and (
                    "ticket#1"."assignee_id" = ($2)::integer
                    or exists (
                      select 1
                      from "public"."team" as "_r1"
                      where "_r1"."tenant_id" = "ticket#1"."tenant_id"
                        and "_r1"."id" = "ticket#1"."team_id"
                        and exists (
                          select 1
                          from "public"."team_member" as "_r2"
                          where "_r2"."team_id" = "_r1"."id" and "_r2"."agent_id" = ($2)::integer
                        )
                    )
                    or "ticket#1"."team_id" is null
                  )
                )
                order by "ticket#1"."created_at" desc
              ) as "rows#2"
            )::text
          `,
          parameters: [
            { session: "x-engine-tenant-id" },
            { session: "x-engine-user-id" },
          ],
        },
      ],
      answer: ["{\"ticket\":", { step: 0, column: 0 }, "}"],
    },
    {
      roles: ["customer"],
      when: { limit: "value" },
      steps: [
        {
          source: "default",
          sql: `
            select (
              select coalesce(json_agg("rows#2"), '[]')
              from (
                select
                  "ticket#1"."id" as "id",
                  "ticket#1"."subject" as "subject",
                  "ticket#1"."status" as "status"
                from "public"."ticket" as "ticket#1"
                where (
                  "ticket#1"."customer_id" = ($1)::integer
                  and not exists (
                    select 1
                    from "public"."ticket_tag" as "_r1"
                    join "public"."tag" as "_r2" on "_r2"."id" = "_r1"."tag_id"
                    where "_r1"."ticket_id" = "ticket#1"."id" and "_r2"."name" = 'spam'
                  )
                )
                order by "ticket#1"."created_at" desc
                limit least(($2)::bigint, 100)
              ) as "rows#2"
            )::text
          `,
          parameters: [
            { session: "x-engine-user-id" },
            { variable: "limit", encoding: { as: "argument", scalar: "Int", accepts: "count" }, path: "$.selectionSet.ticket.args.limit" },
          ],
        },
      ],
      answer: ["{\"ticket\":", { step: 0, column: 0 }, "}"],
    },
    {
      roles: ["customer"],
      when: { limit: "null" },
      steps: [
        {
          source: "default",
          sql: `
            select (
              select coalesce(json_agg("rows#2"), '[]')
              from (
                select
                  "ticket#1"."id" as "id",
                  "ticket#1"."subject" as "subject",
                  "ticket#1"."status" as "status"
                from "public"."ticket" as "ticket#1"
                where (
                  "ticket#1"."customer_id" = ($1)::integer
                  and not exists (
                    select 1
                    from "public"."ticket_tag" as "_r1"
                    join "public"."tag" as "_r2" on "_r2"."id" = "_r1"."tag_id"
                    where "_r1"."ticket_id" = "ticket#1"."id" and "_r2"."name" = 'spam'
                  )
                )
                order by "ticket#1"."created_at" desc
                limit 100
              ) as "rows#2"
            )::text
          `,
          parameters: [
            { session: "x-engine-user-id" },
          ],
        },
      ],
      answer: ["{\"ticket\":", { step: 0, column: 0 }, "}"],
    },
    {
      roles: ["manager"],
      when: { limit: "value" },
      steps: [
        {
          source: "default",
          sql: `
            select (
              select coalesce(json_agg("rows#2"), '[]')
              from (
                select
                  "ticket#1"."id" as "id",
                  "ticket#1"."subject" as "subject",
                  "ticket#1"."status" as "status"
                from "public"."ticket" as "ticket#1"
                where ("ticket#1"."tenant_id" = ($1)::integer)
                order by "ticket#1"."created_at" desc
                limit ($2)::bigint
              ) as "rows#2"
            )::text
          `,
          parameters: [
            { session: "x-engine-tenant-id" },
            { variable: "limit", encoding: { as: "argument", scalar: "Int", accepts: "count" }, path: "$.selectionSet.ticket.args.limit" },
          ],
        },
      ],
      answer: ["{\"ticket\":", { step: 0, column: 0 }, "}"],
    },
    {
      roles: ["manager"],
      when: { limit: "null" },
      steps: [
        {
          source: "default",
          sql: `
            select (
              select coalesce(json_agg("rows#2"), '[]')
              from (
                select
                  "ticket#1"."id" as "id",
                  "ticket#1"."subject" as "subject",
                  "ticket#1"."status" as "status"
                from "public"."ticket" as "ticket#1"
                where ("ticket#1"."tenant_id" = ($1)::integer)
                order by "ticket#1"."created_at" desc
              ) as "rows#2"
            )::text
          `,
          parameters: [
            { session: "x-engine-tenant-id" },
          ],
        },
      ],
      answer: ["{\"ticket\":", { step: 0, column: 0 }, "}"],
    },
  ],
});
