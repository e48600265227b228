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
      roles: ["admin", "agent", "manager"],
      steps: [
        {
          source: "default",
          sql: `
            select (
              select coalesce(pg_catalog.json_agg("rows#10".*), '[]')
              from (
                select
                  "selected#2"."id" as "id",
                  "selected#2"."subject" as "subject",
                  "selected#2"."priority" as "priority",
                  case when "customer#3"."id" is not null then pg_catalog.row_to_json("object#4".*) end as "customer",
                  (
                    select pg_catalog.row_to_json("row#9".*)
                    from (
                      select pg_catalog.row_to_json("object#8".*) as "aggregate"
                      from (
                        select pg_catalog.count(*) as "a1"
                        from (
                          select "messages#5".*
                          from "public"."message" as "messages#5"
                          where "messages#5"."ticket_id" = "selected#2"."id"
                            and {select public.message "messages#5" through public.ticket messages}
                        ) as "selected#6"
                      ) as "aggregate#7"
                      cross join lateral (select "aggregate#7"."a1" as "count") as "object#8"
                    ) as "row#9"
                  ) as "messages_aggregate"
                from (
                  select "ticket#1".*
                  from "public"."ticket" as "ticket#1"
                  where {select public.ticket "ticket#1"}
                    and (("ticket#1"."status" = {"open"::text}) and ("ticket#1"."team_id" = {$team::integer}))
                  order by "ticket#1"."created_at" asc
                  limit {limit public.ticket 50}
                ) as "selected#2"
                left join "public"."customer" as "customer#3" on "customer#3"."id" = "selected#2"."customer_id"
                  and {select public.customer "customer#3" through public.ticket customer}
                cross join lateral (select "customer#3"."name" as "name") as "object#4"
                order by "selected#2"."created_at" asc
              ) as "rows#10"
            )::text
          `,
        },
      ],
    },
  ],
  execution: {
    values: {
      "team::integer": { encoding: { as: "value", type: "int4" }, path: "$.selectionSet.ticket.args.where.team_id._eq" },
    },
    plans: [{ answer: ["{\"ticket\":", { step: 0, column: 0 }, "}"] }],
  },
});
