// help_center · ticket_with_conversation · saved operation
import { savedOperation } from "engine/contract";

export const ticketWithConversationOperation = savedOperation({
  collection: "help_center",
  name: "ticket_with_conversation",
  kind: "query",
  variables: {
    id: { type: "Int!" },
  },
  document: `query ticket_with_conversation($id: Int!) {
  ticket_by_pk(id: $id) {
    id
    subject
    status
    created_at
    messages(order_by: { created_at: asc }) {
      body
      created_at
      author_agent {
        name
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
              select pg_catalog.row_to_json("row#6".*)
              from (
                select
                  "ticket#1"."id" as "id",
                  "ticket#1"."subject" as "subject",
                  "ticket#1"."status" as "status",
                  "ticket#1"."created_at" as "created_at",
                  (
                    select coalesce(pg_catalog.json_agg("rows#5".*), '[]')
                    from (
                      select
                        "messages#2"."body" as "body",
                        "messages#2"."created_at" as "created_at",
                        case when "author_agent#3"."id" is not null then pg_catalog.row_to_json("object#4".*) end as "author_agent"
                      from "public"."message" as "messages#2"
                      left join "public"."agent" as "author_agent#3" on "author_agent#3"."id" = "messages#2"."author_agent_id"
                        and {select public.agent "author_agent#3" through public.message author_agent}
                      cross join lateral (select "author_agent#3"."name" as "name") as "object#4"
                      where "messages#2"."ticket_id" = "ticket#1"."id"
                        and {select public.message "messages#2" through public.ticket messages}
                      order by "messages#2"."created_at" asc
                    ) as "rows#5"
                  ) as "messages"
                from "public"."ticket" as "ticket#1"
                where "ticket#1"."id" = {$id::integer} and {select public.ticket "ticket#1"}
              ) as "row#6"
            )::text
          `,
        },
      ],
    },
    {
      roles: ["customer"],
      steps: [
        {
          source: "default",
          sql: `
            select (
              select pg_catalog.row_to_json("row#7".*)
              from (
                select
                  "ticket#1"."id" as "id",
                  "ticket#1"."subject" as "subject",
                  "ticket#1"."status" as "status",
                  "ticket#1"."created_at" as "created_at",
                  (
                    select coalesce(pg_catalog.json_agg("rows#6".*), '[]')
                    from (
                      select
                        "selected#3"."body" as "body",
                        "selected#3"."created_at" as "created_at",
                        case when "author_agent#4"."id" is not null then pg_catalog.row_to_json("object#5".*) end as "author_agent"
                      from (
                        select "messages#2".*
                        from "public"."message" as "messages#2"
                        where "messages#2"."ticket_id" = "ticket#1"."id"
                          and {select public.message "messages#2" through public.ticket messages}
                        order by "messages#2"."created_at" asc
                        limit {limit public.message}
                      ) as "selected#3"
                      left join "public"."agent" as "author_agent#4" on "author_agent#4"."id" = "selected#3"."author_agent_id"
                        and {select public.agent "author_agent#4" through public.message author_agent}
                      cross join lateral (select "author_agent#4"."name" as "name") as "object#5"
                      order by "selected#3"."created_at" asc
                    ) as "rows#6"
                  ) as "messages"
                from "public"."ticket" as "ticket#1"
                where "ticket#1"."id" = {$id::integer} and {select public.ticket "ticket#1"}
              ) as "row#7"
            )::text
          `,
        },
      ],
    },
  ],
  execution: {
    values: {
      "id::integer": { encoding: { as: "value", type: "int4" }, path: "$.selectionSet.ticket_by_pk.args.id" },
    },
    plans: [{ answer: ["{\"ticket_by_pk\":", { step: 0, column: 0 }, "}"] }],
  },
});
