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
      roles: ["admin"],
      steps: [
        {
          source: "default",
          sql: `
            select (
              select row_to_json("_q6")
              from (
                select
                  "_q1"."id" as "id",
                  "_q1"."subject" as "subject",
                  "_q1"."status" as "status",
                  "_q1"."created_at" as "created_at",
                  (
                    select coalesce(json_agg("_q5"), '[]')
                    from (
                      select
                        "_q2"."body" as "body",
                        "_q2"."created_at" as "created_at",
                        case when "_q3"."id" is not null then row_to_json("_q4") end as "author_agent"
                      from "public"."message" as "_q2"
                      left join "public"."agent" as "_q3" on "_q3"."id" = "_q2"."author_agent_id"
                      cross join lateral (select "_q3"."name" as "name") as "_q4"
                      where "_q2"."ticket_id" = "_q1"."id"
                      order by "_q2"."created_at" asc
                    ) as "_q5"
                  ) as "messages"
                from "public"."ticket" as "_q1"
                where "_q1"."id" = ($1)::integer
              ) as "_q6"
            )::text
          `,
          parameters: [
            { variable: "id", encoding: { as: "value", type: "int4" }, path: "$.selectionSet.ticket_by_pk.args.id" },
          ],
        },
      ],
      answer: ["{\"ticket_by_pk\":", { step: 0, column: 0 }, "}"],
    },
    {
      roles: ["agent"],
      steps: [
        {
          source: "default",
          sql: `
            select (
              select row_to_json("_q6")
              from (
                select
                  "_q1"."id" as "id",
                  "_q1"."subject" as "subject",
                  "_q1"."status" as "status",
                  "_q1"."created_at" as "created_at",
                  (
                    select coalesce(json_agg("_q5"), '[]')
                    from (
                      select
                        "_q2"."body" as "body",
                        "_q2"."created_at" as "created_at",
                        case when "_q3"."id" is not null then row_to_json("_q4") end as "author_agent"
                      from "public"."message" as "_q2"
                      left join "public"."agent" as "_q3" on "_q3"."id" = "_q2"."author_agent_id"
                        and ("_q3"."tenant_id" = ($1)::integer)
                      cross join lateral (select "_q3"."name" as "name") as "_q4"
                      where "_q2"."ticket_id" = "_q1"."id"
                      order by "_q2"."created_at" asc
                    ) as "_q5"
                  ) as "messages"
                from "public"."ticket" as "_q1"
                where "_q1"."id" = ($2)::integer
                  and (
                    "_q1"."tenant_id" = ($1)::integer
                    and (
                      "_q1"."assignee_id" = ($3)::integer
                      or exists (
                        select 1
                        from "public"."team" as "_r1"
                        where "_r1"."tenant_id" = "_q1"."tenant_id"
                          and "_r1"."id" = "_q1"."team_id"
                          and exists (
                            select 1
                            from "public"."team_member" as "_r2"
                            where "_r2"."team_id" = "_r1"."id" and "_r2"."agent_id" = ($3)::integer
                          )
                      )
                      or "_q1"."team_id" is null
                    )
                  )
              ) as "_q6"
            )::text
          `,
          parameters: [
            { session: "x-engine-tenant-id" },
            { variable: "id", encoding: { as: "value", type: "int4" }, path: "$.selectionSet.ticket_by_pk.args.id" },
            { session: "x-engine-user-id" },
          ],
        },
      ],
      answer: ["{\"ticket_by_pk\":", { step: 0, column: 0 }, "}"],
    },
    {
      roles: ["customer"],
      steps: [
        {
          source: "default",
          sql: `
            select (
              select row_to_json("_q7")
              from (
                select
                  "_q1"."id" as "id",
                  "_q1"."subject" as "subject",
                  "_q1"."status" as "status",
                  "_q1"."created_at" as "created_at",
                  (
                    select coalesce(json_agg("_q6"), '[]')
                    from (
                      select
                        "_q3"."body" as "body",
                        "_q3"."created_at" as "created_at",
                        case when "_q4"."id" is not null then row_to_json("_q5") end as "author_agent"
                      from (
                        select "_q2".*
                        from "public"."message" as "_q2"
                        where "_q2"."ticket_id" = "_q1"."id"
                          and (
                            "_q2"."is_internal" = false
                            and exists (
                              select 1
                              from "public"."ticket" as "_r1"
                              where "_r1"."id" = "_q2"."ticket_id"
                                and "_r1"."customer_id" = ($1)::integer
                            )
                          )
                        order by "_q2"."created_at" asc
                        limit 200
                      ) as "_q3"
                      left join "public"."agent" as "_q4" on "_q4"."id" = "_q3"."author_agent_id"
                      cross join lateral (select "_q4"."name" as "name") as "_q5"
                      order by "_q3"."created_at" asc
                    ) as "_q6"
                  ) as "messages"
                from "public"."ticket" as "_q1"
                where "_q1"."id" = ($2)::integer
                  and (
                    "_q1"."customer_id" = ($1)::integer
                    and not exists (
                      select 1
                      from "public"."ticket_tag" as "_r1"
                      join "public"."tag" as "_r2" on "_r2"."id" = "_r1"."tag_id"
                      where "_r1"."ticket_id" = "_q1"."id" and "_r2"."name" = 'spam'
                    )
                  )
              ) as "_q7"
            )::text
          `,
          parameters: [
            { session: "x-engine-user-id" },
            { variable: "id", encoding: { as: "value", type: "int4" }, path: "$.selectionSet.ticket_by_pk.args.id" },
          ],
        },
      ],
      answer: ["{\"ticket_by_pk\":", { step: 0, column: 0 }, "}"],
    },
    {
      roles: ["manager"],
      steps: [
        {
          source: "default",
          sql: `
            select (
              select row_to_json("_q6")
              from (
                select
                  "_q1"."id" as "id",
                  "_q1"."subject" as "subject",
                  "_q1"."status" as "status",
                  "_q1"."created_at" as "created_at",
                  (
                    select coalesce(json_agg("_q5"), '[]')
                    from (
                      select
                        "_q2"."body" as "body",
                        "_q2"."created_at" as "created_at",
                        case when "_q3"."id" is not null then row_to_json("_q4") end as "author_agent"
                      from "public"."message" as "_q2"
                      left join "public"."agent" as "_q3" on "_q3"."id" = "_q2"."author_agent_id"
                        and ("_q3"."tenant_id" = ($1)::integer)
                      cross join lateral (select "_q3"."name" as "name") as "_q4"
                      where "_q2"."ticket_id" = "_q1"."id"
                      order by "_q2"."created_at" asc
                    ) as "_q5"
                  ) as "messages"
                from "public"."ticket" as "_q1"
                where "_q1"."id" = ($2)::integer and ("_q1"."tenant_id" = ($1)::integer)
              ) as "_q6"
            )::text
          `,
          parameters: [
            { session: "x-engine-tenant-id" },
            { variable: "id", encoding: { as: "value", type: "int4" }, path: "$.selectionSet.ticket_by_pk.args.id" },
          ],
        },
      ],
      answer: ["{\"ticket_by_pk\":", { step: 0, column: 0 }, "}"],
    },
  ],
});
