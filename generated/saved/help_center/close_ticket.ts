// help_center · close_ticket · saved operation
import { savedOperation } from "engine/contract";

export const closeTicketOperation = savedOperation({
  collection: "help_center",
  name: "close_ticket",
  kind: "mutation",
  variables: {
    id: { type: "Int!" },
  },
  document: `mutation close_ticket($id: Int!) {
  update_ticket_by_pk(pk_columns: { id: $id }, _set: { status: closed }) {
    id
    status
    messages(order_by: { created_at: desc }, limit: 1) {
      body
      created_at
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
          statements: [
            {
              sql: `
                with "written" as (
                  update "public"."ticket" as "ticket#1"
                  set "status" = ($1)::text
                  where "ticket#1"."id" = ($2)::integer
                  returning "ticket#1".*
                )
                select set_config(
                  'engine.rows',
                  coalesce(
                    (select string_agg(row_to_json("written".*)::text, ',') from "written"), ''
                  ),
                  true
                ) is not null
              `,
              parameters: [
                { constant: "closed" },
                { variable: "id", encoding: { as: "value", type: "int4" }, path: "$.selectionSet.update_ticket_by_pk.args.pk_columns.id" },
              ],
              path: "$",
            },
            {
              sql: `
                select (
                  select row_to_json("row#5")
                  from (
                    select
                      "ticket#2"."id" as "id",
                      "ticket#2"."status" as "status",
                      (
                        select coalesce(json_agg("rows#4"), '[]')
                        from (
                          select
                            "messages#3"."body" as "body",
                            "messages#3"."created_at" as "created_at"
                          from "public"."message" as "messages#3"
                          where "messages#3"."ticket_id" = "ticket#2"."id"
                          order by "messages#3"."created_at" desc
                          limit 1
                        ) as "rows#4"
                      ) as "messages"
                    from json_populate_recordset(
                      null::"public"."ticket",
                      concat('[', current_setting('engine.rows'), ']')::json
                    ) as "ticket#2"
                  ) as "row#5"
                )::text
              `,
              parameters: [],
              path: "$",
            },
          ],
          answer: [1],
        },
      ],
      answer: ["{\"update_ticket_by_pk\":", { step: 0, column: 0 }, "}"],
    },
    {
      roles: ["agent"],
      steps: [
        {
          source: "default",
          statements: [
            {
              sql: `
                with "written" as (
                  update "public"."ticket" as "ticket#1"
                  set "status" = ($1)::text, "updated_at" = 'now()'::text::timestamptz
                  where (
                    "ticket#1"."tenant_id" = ($2)::integer
                    and (
                      "ticket#1"."assignee_id" = ($3)::integer
                      or exists (
                        select 1
                        from "public"."team" as "_r1"
                        where "_r1"."tenant_id" = "ticket#1"."tenant_id"
                          and "_r1"."id" = "ticket#1"."team_id"
                          and exists (
                            select 1
                            from "public"."team_member" as "_r2"
                            where "_r2"."team_id" = "_r1"."id" and "_r2"."agent_id" = ($3)::integer
                          )
                      )
                      or "ticket#1"."team_id" is null
                    )
                  )
                    and "ticket#1"."id" = ($4)::integer
                  returning "ticket#1".*, (
                    case when (
                      "ticket#1"."assignee_id" is null
                      or exists (
                        select 1
                        from "public"."agent" as "_r1"
                        where "_r1"."id" = "ticket#1"."assignee_id"
                          and "_r1"."is_active" = true
                          and "_r1"."tenant_id" = ($2)::integer
                      )
                    ) is not true then concat(
                      'check constraint of an insert/update permission has failed',
                      ' [default.public.ticket.update check]'
                    ) else 'true' end
                  )::boolean as "engine check"
                )
                select set_config(
                  'engine.rows',
                  coalesce(
                    (select string_agg(row_to_json("written".*)::text, ',') from "written"), ''
                  ),
                  true
                ) is not null
              `,
              parameters: [
                { constant: "closed" },
                { session: "x-engine-tenant-id" },
                { session: "x-engine-user-id" },
                { variable: "id", encoding: { as: "value", type: "int4" }, path: "$.selectionSet.update_ticket_by_pk.args.pk_columns.id" },
              ],
              path: "$",
            },
            {
              sql: `
                select (
                  select row_to_json("row#5")
                  from (
                    select
                      "ticket#2"."id" as "id",
                      "ticket#2"."status" as "status",
                      (
                        select coalesce(json_agg("rows#4"), '[]')
                        from (
                          select
                            "messages#3"."body" as "body",
                            "messages#3"."created_at" as "created_at"
                          from "public"."message" as "messages#3"
                          where "messages#3"."ticket_id" = "ticket#2"."id"
                            and (
                              exists (
                                select 1
                                from "public"."ticket" as "_r1"
                                where "_r1"."id" = "messages#3"."ticket_id"
                                  and "_r1"."tenant_id" = ($1)::integer
                                  and (
                                    "_r1"."assignee_id" = ($2)::integer
                                    or exists (
                                      select 1
                                      from "public"."team" as "_r2"
                                      where "_r2"."tenant_id" = "_r1"."tenant_id"
                                        and "_r2"."id" = "_r1"."team_id"
                                        and exists (
                                          select 1
                                          from "public"."team_member" as "_r3"
                                          where "_r3"."team_id" = "_r2"."id"
                                            and "_r3"."agent_id" = ($2)::integer
                                        )
                                    )
                                    or "_r1"."team_id" is null
                                  )
                              )
                            )
                          order by "messages#3"."created_at" desc
                          limit 1
                        ) as "rows#4"
                      ) as "messages"
                    from json_populate_recordset(
                      null::"public"."ticket",
                      concat('[', current_setting('engine.rows'), ']')::json
                    ) as "ticket#2"
                  ) as "row#5"
                )::text
              `,
              parameters: [
                { session: "x-engine-tenant-id" },
                { session: "x-engine-user-id" },
              ],
              path: "$",
            },
          ],
          answer: [1],
        },
      ],
      answer: ["{\"update_ticket_by_pk\":", { step: 0, column: 0 }, "}"],
    },
    {
      roles: ["customer"],
      steps: [
        {
          source: "default",
          statements: [
            {
              sql: `
                with "written" as (
                  update "public"."ticket" as "ticket#1"
                  set "status" = ($1)::text, "updated_at" = 'now()'::text::timestamptz
                  where (
                    "ticket#1"."customer_id" = ($2)::integer and "ticket#1"."status" <> 'closed'
                  )
                    and "ticket#1"."id" = ($3)::integer
                  returning "ticket#1".*, (
                    case when (
                      "ticket#1"."status" in ('open', 'closed')
                    ) is not true then concat(
                      'check constraint of an insert/update permission has failed',
                      ' [default.public.ticket.update check]'
                    ) else 'true' end
                  )::boolean as "engine check"
                )
                select set_config(
                  'engine.rows',
                  coalesce(
                    (select string_agg(row_to_json("written".*)::text, ',') from "written"), ''
                  ),
                  true
                ) is not null
              `,
              parameters: [
                { constant: "closed" },
                { session: "x-engine-user-id" },
                { variable: "id", encoding: { as: "value", type: "int4" }, path: "$.selectionSet.update_ticket_by_pk.args.pk_columns.id" },
              ],
              path: "$",
            },
            {
              sql: `
                select (
                  select row_to_json("row#5")
                  from (
                    select
                      "ticket#2"."id" as "id",
                      "ticket#2"."status" as "status",
                      (
                        select coalesce(json_agg("rows#4"), '[]')
                        from (
                          select
                            "messages#3"."body" as "body",
                            "messages#3"."created_at" as "created_at"
                          from "public"."message" as "messages#3"
                          where "messages#3"."ticket_id" = "ticket#2"."id"
                            and (
                              "messages#3"."is_internal" = false
                              and exists (
                                select 1
                                from "public"."ticket" as "_r1"
                                where "_r1"."id" = "messages#3"."ticket_id"
                                  and "_r1"."customer_id" = ($1)::integer
                              )
                            )
                          order by "messages#3"."created_at" desc
                          limit 1
                        ) as "rows#4"
                      ) as "messages"
                    from json_populate_recordset(
                      null::"public"."ticket",
                      concat('[', current_setting('engine.rows'), ']')::json
                    ) as "ticket#2"
                  ) as "row#5"
                )::text
              `,
              parameters: [
                { session: "x-engine-user-id" },
              ],
              path: "$",
            },
          ],
          answer: [1],
        },
      ],
      answer: ["{\"update_ticket_by_pk\":", { step: 0, column: 0 }, "}"],
    },
    {
      roles: ["manager"],
      steps: [
        {
          source: "default",
          statements: [
            {
              sql: `
                with "written" as (
                  update "public"."ticket" as "ticket#1"
                  set "status" = ($1)::text, "updated_at" = 'now()'::text::timestamptz
                  where ("ticket#1"."tenant_id" = ($2)::integer) and "ticket#1"."id" = ($3)::integer
                  returning "ticket#1".*, (
                    case when (
                      exists (
                        select 1
                        from "public"."customer" as "_r1"
                        where "_r1"."id" = "ticket#1"."customer_id"
                          and "_r1"."tenant_id" = ($2)::integer
                      )
                    ) is not true then concat(
                      'check constraint of an insert/update permission has failed',
                      ' [default.public.ticket.update check]'
                    ) else 'true' end
                  )::boolean as "engine check"
                )
                select set_config(
                  'engine.rows',
                  coalesce(
                    (select string_agg(row_to_json("written".*)::text, ',') from "written"), ''
                  ),
                  true
                ) is not null
              `,
              parameters: [
                { constant: "closed" },
                { session: "x-engine-tenant-id" },
                { variable: "id", encoding: { as: "value", type: "int4" }, path: "$.selectionSet.update_ticket_by_pk.args.pk_columns.id" },
              ],
              path: "$",
            },
            {
              sql: `
                select (
                  select row_to_json("row#5")
                  from (
                    select
                      "ticket#2"."id" as "id",
                      "ticket#2"."status" as "status",
                      (
                        select coalesce(json_agg("rows#4"), '[]')
                        from (
                          select
                            "messages#3"."body" as "body",
                            "messages#3"."created_at" as "created_at"
                          from "public"."message" as "messages#3"
                          where "messages#3"."ticket_id" = "ticket#2"."id"
                            and (
                              exists (
                                select 1
                                from "public"."ticket" as "_r1"
                                where "_r1"."id" = "messages#3"."ticket_id"
                                  and "_r1"."tenant_id" = ($1)::integer
                              )
                            )
                          order by "messages#3"."created_at" desc
                          limit 1
                        ) as "rows#4"
                      ) as "messages"
                    from json_populate_recordset(
                      null::"public"."ticket",
                      concat('[', current_setting('engine.rows'), ']')::json
                    ) as "ticket#2"
                  ) as "row#5"
                )::text
              `,
              parameters: [
                { session: "x-engine-tenant-id" },
              ],
              path: "$",
            },
          ],
          answer: [1],
        },
      ],
      answer: ["{\"update_ticket_by_pk\":", { step: 0, column: 0 }, "}"],
    },
  ],
});
