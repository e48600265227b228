// service_desk · queue · saved operation
import { savedOperation } from "engine/contract";

export const queueOperation = savedOperation({
  collection: "service_desk",
  name: "queue",
  kind: "query",
  variables: {
    team: { type: "Int!" },
  },
  document: `query queue($team: Int!) {
  ticket(where: { status: { _eq: open }, team_id: { _eq: $team } }, order_by: { created_at: asc }, limit: 50) {
    id
    subject
    priority
    customer {
      name
    }
    messages_aggregate {
      aggregate {
        count
      }
    }
  }
}
`,
  plans: [
    {
      roles: ["admin"],
      steps: [
        {
          source: "default",
          sql: `
            select (
              select coalesce(json_agg("_q10"), '[]')
              from (
                select
                  "_q2"."id" as "id",
                  "_q2"."subject" as "subject",
                  "_q2"."priority" as "priority",
                  case when "_q3"."id" is not null then row_to_json("_q4") end as "customer",
                  (
                    select row_to_json("_q9")
                    from (
                      select row_to_json("_q8") as "aggregate"
                      from (
                        select count(*) as "a1"
                        from (
                          select "_q5".*
                          from "public"."message" as "_q5"
                          where "_q5"."ticket_id" = "_q2"."id"
                        ) as "_q6"
                      ) as "_q7"
                      cross join lateral (select "_q7"."a1" as "count") as "_q8"
                    ) as "_q9"
                  ) as "messages_aggregate"
                from (
                  select "_q1".*
                  from "public"."ticket" as "_q1"
                  where (("_q1"."status" = ($1)::text) and ("_q1"."team_id" = ($2)::integer))
                  order by "_q1"."created_at" asc
                  limit 50
                ) as "_q2"
                left join "public"."customer" as "_q3" on "_q3"."id" = "_q2"."customer_id"
                cross join lateral (select "_q3"."name" as "name") as "_q4"
                order by "_q2"."created_at" asc
              ) as "_q10"
            )::text
          `,
          parameters: [
            { constant: "open" },
            { variable: "team", encoding: { as: "value", type: "int4" }, path: "$.selectionSet.ticket.args.where.team_id._eq" },
          ],
        },
      ],
      answer: ["{\"ticket\":", { step: 0, column: 0 }, "}"],
    },
    {
      roles: ["agent"],
      steps: [
        {
          source: "default",
          sql: `
            select (
              select coalesce(json_agg("_q10"), '[]')
              from (
                select
                  "_q2"."id" as "id",
                  "_q2"."subject" as "subject",
                  "_q2"."priority" as "priority",
                  case when "_q3"."id" is not null then row_to_json("_q4") end as "customer",
                  (
                    select row_to_json("_q9")
                    from (
                      select row_to_json("_q8") as "aggregate"
                      from (
                        select count(*) as "a1"
                        from (
                          select "_q5".*
                          from "public"."message" as "_q5"
                          where "_q5"."ticket_id" = "_q2"."id"
                        ) as "_q6"
                      ) as "_q7"
                      cross join lateral (select "_q7"."a1" as "count") as "_q8"
                    ) as "_q9"
                  ) as "messages_aggregate"
                from (
                  select "_q1".*
                  from "public"."ticket" as "_q1"
                  where (
                    "_q1"."tenant_id" = ($1)::integer
                    and (
                      "_q1"."assignee_id" = ($2)::integer
                      or exists (
                        select 1
                        from "public"."team" as "_r1"
                        where "_r1"."tenant_id" = "_q1"."tenant_id"
                          and "_r1"."id" = "_q1"."team_id"
                          and exists (
                            select 1
                            from "public"."team_member" as "_r2"
                            where "_r2"."team_id" = "_r1"."id" and "_r2"."agent_id" = ($2)::integer
                          )
                      )
                      or "_q1"."team_id" is null
                    )
                  )
                    and (("_q1"."status" = ($3)::text) and ("_q1"."team_id" = ($4)::integer))
                  order by "_q1"."created_at" asc
                  limit 50
                ) as "_q2"
                left join "public"."customer" as "_q3" on "_q3"."id" = "_q2"."customer_id"
                  and ("_q3"."tenant_id" = ($1)::integer)
                cross join lateral (select "_q3"."name" as "name") as "_q4"
                order by "_q2"."created_at" asc
              ) as "_q10"
            )::text
          `,
          parameters: [
            { session: "x-engine-tenant-id" },
            { session: "x-engine-user-id" },
            { constant: "open" },
            { variable: "team", encoding: { as: "value", type: "int4" }, path: "$.selectionSet.ticket.args.where.team_id._eq" },
          ],
        },
      ],
      answer: ["{\"ticket\":", { step: 0, column: 0 }, "}"],
    },
    {
      roles: ["manager"],
      steps: [
        {
          source: "default",
          sql: `
            select (
              select coalesce(json_agg("_q10"), '[]')
              from (
                select
                  "_q2"."id" as "id",
                  "_q2"."subject" as "subject",
                  "_q2"."priority" as "priority",
                  case when "_q3"."id" is not null then row_to_json("_q4") end as "customer",
                  (
                    select row_to_json("_q9")
                    from (
                      select row_to_json("_q8") as "aggregate"
                      from (
                        select count(*) as "a1"
                        from (
                          select "_q5".*
                          from "public"."message" as "_q5"
                          where "_q5"."ticket_id" = "_q2"."id"
                        ) as "_q6"
                      ) as "_q7"
                      cross join lateral (select "_q7"."a1" as "count") as "_q8"
                    ) as "_q9"
                  ) as "messages_aggregate"
                from (
                  select "_q1".*
                  from "public"."ticket" as "_q1"
                  where ("_q1"."tenant_id" = ($1)::integer)
                    and (("_q1"."status" = ($2)::text) and ("_q1"."team_id" = ($3)::integer))
                  order by "_q1"."created_at" asc
                  limit 50
                ) as "_q2"
                left join "public"."customer" as "_q3" on "_q3"."id" = "_q2"."customer_id"
                  and ("_q3"."tenant_id" = ($1)::integer)
                cross join lateral (select "_q3"."name" as "name") as "_q4"
                order by "_q2"."created_at" asc
              ) as "_q10"
            )::text
          `,
          parameters: [
            { session: "x-engine-tenant-id" },
            { constant: "open" },
            { variable: "team", encoding: { as: "value", type: "int4" }, path: "$.selectionSet.ticket.args.where.team_id._eq" },
          ],
        },
      ],
      answer: ["{\"ticket\":", { step: 0, column: 0 }, "}"],
    },
  ],
});
