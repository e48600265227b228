// help_center · open_ticket · saved operation
import { savedOperation } from "engine/contract";

export const openTicketOperation = savedOperation({
  collection: "help_center",
  name: "open_ticket",
  kind: "mutation",
  variables: {
    subject: { type: "String!" },
    body: { type: "String!" },
  },
  document: `mutation open_ticket($subject: String!, $body: String!) {
  insert_ticket_one(object: { subject: $subject, messages: { data: [{ body: $body }] } }) {
    id
    status
    messages {
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
                  insert into "public"."ticket" as "ticket#1" ("subject")
                  values (($1)::text)
                  returning "ticket#1".*
                )
                select
                  set_config(
                    'engine.row_1',
                    coalesce(
                      (select array["id"::text]::text from "written"),
                      concat('no row was written')::boolean::text
                    ),
                    true
                  ) is not null,
                  set_config(
                    'engine.rows',
                    coalesce(
                      (select string_agg(row_to_json("written".*)::text, ',') from "written"), ''
                    ),
                    true
                  ) is not null
              `,
              parameters: [
                { variable: "subject", encoding: { as: "value", type: "text" }, path: "$.selectionSet.insert_ticket_one.args.object.subject" },
              ],
              path: "$.selectionSet.insert_ticket_one.args.object",
              noRow: { message: "cannot proceed to insert array relations since insert to table \"ticket\" affects zero rows", path: "$.selectionSet.insert_ticket_one.args.object" },
            },
            {
              sql: `
                insert into "public"."message" as "message#1" ("body", "ticket_id")
                values (($1)::text, (current_setting('engine.row_1')::text[])[1]::integer)
              `,
              parameters: [
                { variable: "body", encoding: { as: "value", type: "text" }, path: "$.selectionSet.insert_ticket_one.args.object.messages.data[0].body" },
              ],
              path: "$.selectionSet.insert_ticket_one.args.object.messages.data",
            },
            {
              sql: `
                select (
                  select row_to_json("row#4")
                  from (
                    select
                      "ticket#1"."id" as "id",
                      "ticket#1"."status" as "status",
                      (
                        select coalesce(json_agg("rows#3"), '[]')
                        from (
                          select
                            "messages#2"."body" as "body",
                            "messages#2"."created_at" as "created_at"
                          from "public"."message" as "messages#2"
                          where "messages#2"."ticket_id" = "ticket#1"."id"
                        ) as "rows#3"
                      ) as "messages"
                    from json_populate_recordset(
                      null::"public"."ticket",
                      concat('[', current_setting('engine.rows'), ']')::json
                    ) as "ticket#1"
                  ) as "row#4"
                )::text
              `,
              parameters: [],
              path: "$",
            },
          ],
          answer: [2],
        },
      ],
      answer: ["{\"insert_ticket_one\":", { step: 0, column: 0 }, "}"],
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
                  insert into "public"."ticket" as "ticket#1" ("subject", "tenant_id")
                  values (($1)::text, (($2)::integer))
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
                      ' [default.public.ticket.insert check]'
                    ) else 'true' end
                  )::boolean as "engine check"
                )
                select
                  set_config(
                    'engine.row_1',
                    coalesce(
                      (select array["id"::text]::text from "written"),
                      concat('no row was written')::boolean::text
                    ),
                    true
                  ) is not null,
                  set_config(
                    'engine.rows',
                    coalesce(
                      (select string_agg(row_to_json("written".*)::text, ',') from "written"), ''
                    ),
                    true
                  ) is not null
              `,
              parameters: [
                { variable: "subject", encoding: { as: "value", type: "text" }, path: "$.selectionSet.insert_ticket_one.args.object.subject" },
                { session: "x-engine-tenant-id" },
              ],
              path: "$.selectionSet.insert_ticket_one.args.object",
              noRow: { message: "cannot proceed to insert array relations since insert to table \"ticket\" affects zero rows", path: "$.selectionSet.insert_ticket_one.args.object" },
            },
            {
              sql: `
                insert into "public"."message" as "message#1" ("body", "author_agent_id", "ticket_id")
                values (
                  ($1)::text, (($2)::integer), (current_setting('engine.row_1')::text[])[1]::integer
                )
                returning (
                  case when (
                    exists (
                      select 1
                      from "public"."ticket" as "_r1"
                      where "_r1"."id" = "message#1"."ticket_id"
                        and "_r1"."tenant_id" = ($3)::integer
                    )
                  ) is not true then concat(
                    'check constraint of an insert/update permission has failed',
                    ' [default.public.message.insert check]'
                  ) else 'true' end
                )::boolean
              `,
              parameters: [
                { variable: "body", encoding: { as: "value", type: "text" }, path: "$.selectionSet.insert_ticket_one.args.object.messages.data[0].body" },
                { session: "x-engine-user-id" },
                { session: "x-engine-tenant-id" },
              ],
              path: "$.selectionSet.insert_ticket_one.args.object.messages.data",
            },
            {
              sql: `
                select (
                  select row_to_json("row#4")
                  from (
                    select
                      "ticket#1"."id" as "id",
                      "ticket#1"."status" as "status",
                      (
                        select coalesce(json_agg("rows#3"), '[]')
                        from (
                          select
                            "messages#2"."body" as "body",
                            "messages#2"."created_at" as "created_at"
                          from "public"."message" as "messages#2"
                          where "messages#2"."ticket_id" = "ticket#1"."id"
                            and (
                              exists (
                                select 1
                                from "public"."ticket" as "_r1"
                                where "_r1"."id" = "messages#2"."ticket_id"
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
                        ) as "rows#3"
                      ) as "messages"
                    from json_populate_recordset(
                      null::"public"."ticket",
                      concat('[', current_setting('engine.rows'), ']')::json
                    ) as "ticket#1"
                  ) as "row#4"
                )::text
              `,
              parameters: [
                { session: "x-engine-tenant-id" },
                { session: "x-engine-user-id" },
              ],
              path: "$",
            },
          ],
          answer: [2],
        },
      ],
      answer: ["{\"insert_ticket_one\":", { step: 0, column: 0 }, "}"],
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
                  insert into "public"."ticket" as "ticket#1" (
                    "subject", "tenant_id", "customer_id", "channel"
                  )
                  values (($1)::text, (($2)::integer), (($3)::integer), ('web'::text))
                  returning "ticket#1".*, (
                    case when (
                      exists (
                        select 1
                        from "public"."tenant" as "_r1"
                        where "_r1"."id" = "ticket#1"."tenant_id"
                          and exists (
                            select 1
                            from "public"."customer" as "_r2"
                            where "_r2"."tenant_id" = "_r1"."id" and "_r2"."id" = ($3)::integer
                          )
                      )
                    ) is not true then concat(
                      'check constraint of an insert/update permission has failed',
                      ' [default.public.ticket.insert check]'
                    ) else 'true' end
                  )::boolean as "engine check"
                )
                select
                  set_config(
                    'engine.row_1',
                    coalesce(
                      (select array["id"::text]::text from "written"),
                      concat('no row was written')::boolean::text
                    ),
                    true
                  ) is not null,
                  set_config(
                    'engine.rows',
                    coalesce(
                      (select string_agg(row_to_json("written".*)::text, ',') from "written"), ''
                    ),
                    true
                  ) is not null
              `,
              parameters: [
                { variable: "subject", encoding: { as: "value", type: "text" }, path: "$.selectionSet.insert_ticket_one.args.object.subject" },
                { session: "x-engine-tenant-id" },
                { session: "x-engine-user-id" },
              ],
              path: "$.selectionSet.insert_ticket_one.args.object",
              noRow: { message: "cannot proceed to insert array relations since insert to table \"ticket\" affects zero rows", path: "$.selectionSet.insert_ticket_one.args.object" },
            },
            {
              sql: `
                insert into "public"."message" as "message#1" (
                  "body", "author_customer_id", "is_internal", "ticket_id"
                )
                values (
                  ($1)::text,
                  (($2)::integer),
                  (false),
                  (current_setting('engine.row_1')::text[])[1]::integer
                )
                returning (
                  case when (
                    exists (
                      select 1
                      from "public"."ticket" as "_r1"
                      where "_r1"."id" = "message#1"."ticket_id"
                        and "_r1"."customer_id" = ($2)::integer
                        and "_r1"."status" <> 'closed'
                    )
                  ) is not true then concat(
                    'check constraint of an insert/update permission has failed',
                    ' [default.public.message.insert check]'
                  ) else 'true' end
                )::boolean
              `,
              parameters: [
                { variable: "body", encoding: { as: "value", type: "text" }, path: "$.selectionSet.insert_ticket_one.args.object.messages.data[0].body" },
                { session: "x-engine-user-id" },
              ],
              path: "$.selectionSet.insert_ticket_one.args.object.messages.data",
            },
            {
              sql: `
                select (
                  select row_to_json("row#4")
                  from (
                    select
                      "ticket#1"."id" as "id",
                      "ticket#1"."status" as "status",
                      (
                        select coalesce(json_agg("rows#3"), '[]')
                        from (
                          select
                            "messages#2"."body" as "body",
                            "messages#2"."created_at" as "created_at"
                          from "public"."message" as "messages#2"
                          where "messages#2"."ticket_id" = "ticket#1"."id"
                            and (
                              "messages#2"."is_internal" = false
                              and exists (
                                select 1
                                from "public"."ticket" as "_r1"
                                where "_r1"."id" = "messages#2"."ticket_id"
                                  and "_r1"."customer_id" = ($1)::integer
                              )
                            )
                          limit 200
                        ) as "rows#3"
                      ) as "messages"
                    from json_populate_recordset(
                      null::"public"."ticket",
                      concat('[', current_setting('engine.rows'), ']')::json
                    ) as "ticket#1"
                  ) as "row#4"
                )::text
              `,
              parameters: [
                { session: "x-engine-user-id" },
              ],
              path: "$",
            },
          ],
          answer: [2],
        },
      ],
      answer: ["{\"insert_ticket_one\":", { step: 0, column: 0 }, "}"],
    },
  ],
});
