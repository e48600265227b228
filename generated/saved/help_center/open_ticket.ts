// help_center · open_ticket · saved operation
import { savedOperation } from "engine/contract";

const statement1 = `
  select (
    select pg_catalog.row_to_json("row#4".*)
    from (
      select
        "ticket#1"."id" as "id",
        "ticket#1"."status" as "status",
        (
          select coalesce(pg_catalog.json_agg("rows#3".*), '[]')
          from (
            select "messages#2"."body" as "body", "messages#2"."created_at" as "created_at"
            from "public"."message" as "messages#2"
            where "messages#2"."ticket_id" = "ticket#1"."id" and {select public.message "messages#2"}
          ) as "rows#3"
        ) as "messages"
      from pg_catalog.unnest(
        pg_catalog.concat('{{', pg_catalog.current_setting('engine.rows'), '}}')::"public"."ticket"[]
      ) as "ticket#1"
    ) as "row#4"
  )::text
`;

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
      roles: ["agent"],
      steps: [
        {
          source: "default",
          statements: [
            `
              with "written" as (
                insert into "public"."ticket" as "ticket#1" ("subject", "tenant_id")
                values ({$subject::text}, ({preset insert public.ticket tenant_id}))
                returning "ticket#1".*, pg_catalog.concat("ticket#1".*) as "engine row", ({check insert public.ticket "ticket#1"})::boolean as "engine check"
              )
              select
                pg_catalog.set_config(
                  'engine.row_1',
                  coalesce(
                    (select array["id"::text]::text from "written"),
                    pg_catalog.concat('no row was written')::boolean::text
                  ),
                  true
                ) is not null,
                pg_catalog.set_config(
                  'engine.rows',
                  coalesce(
                    (select pg_catalog.btrim(pg_catalog.array_agg("engine row")::text, '{{}}') from "written"), ''
                  ),
                  true
                ) is not null
            `,
            `
              insert into "public"."message" as "message#1" ("body", "author_agent_id", "ticket_id")
              values (
                {$body::text},
                ({preset insert public.message author_agent_id}),
                (pg_catalog.current_setting('engine.row_1')::text[])[1]::integer
              )
              returning ({check insert public.message "message#1"})::boolean
            `,
            statement1,
          ],
        },
      ],
    },
    {
      roles: ["customer"],
      steps: [
        {
          source: "default",
          statements: [
            `
              with "written" as (
                insert into "public"."ticket" as "ticket#1" ("subject", "tenant_id", "customer_id", "channel")
                values (
                  {$subject::text},
                  ({preset insert public.ticket tenant_id}),
                  ({preset insert public.ticket customer_id}),
                  ({preset insert public.ticket channel})
                )
                returning "ticket#1".*, pg_catalog.concat("ticket#1".*) as "engine row", ({check insert public.ticket "ticket#1"})::boolean as "engine check"
              )
              select
                pg_catalog.set_config(
                  'engine.row_1',
                  coalesce(
                    (select array["id"::text]::text from "written"),
                    pg_catalog.concat('no row was written')::boolean::text
                  ),
                  true
                ) is not null,
                pg_catalog.set_config(
                  'engine.rows',
                  coalesce(
                    (select pg_catalog.btrim(pg_catalog.array_agg("engine row")::text, '{{}}') from "written"), ''
                  ),
                  true
                ) is not null
            `,
            `
              insert into "public"."message" as "message#1" (
                "body", "author_customer_id", "is_internal", "ticket_id"
              )
              values (
                {$body::text},
                ({preset insert public.message author_customer_id}),
                ({preset insert public.message is_internal}),
                (pg_catalog.current_setting('engine.row_1')::text[])[1]::integer
              )
              returning ({check insert public.message "message#1"})::boolean
            `,
            `
              select (
                select pg_catalog.row_to_json("row#4".*)
                from (
                  select
                    "ticket#1"."id" as "id",
                    "ticket#1"."status" as "status",
                    (
                      select coalesce(pg_catalog.json_agg("rows#3".*), '[]')
                      from (
                        select "messages#2"."body" as "body", "messages#2"."created_at" as "created_at"
                        from "public"."message" as "messages#2"
                        where "messages#2"."ticket_id" = "ticket#1"."id" and {select public.message "messages#2"}
                        limit {limit public.message}
                      ) as "rows#3"
                    ) as "messages"
                  from pg_catalog.unnest(
                    pg_catalog.concat('{{', pg_catalog.current_setting('engine.rows'), '}}')::"public"."ticket"[]
                  ) as "ticket#1"
                ) as "row#4"
              )::text
            `,
          ],
        },
      ],
    },
    {
      roles: ["admin"],
      steps: [
        {
          source: "default",
          statements: [
            `
              with "written" as (
                insert into "public"."ticket" as "ticket#1" ("subject")
                values ({$subject::text})
                returning "ticket#1".*, pg_catalog.concat("ticket#1".*) as "engine row", ({check insert public.ticket "ticket#1"})::boolean as "engine check"
              )
              select
                pg_catalog.set_config(
                  'engine.row_1',
                  coalesce(
                    (select array["id"::text]::text from "written"),
                    pg_catalog.concat('no row was written')::boolean::text
                  ),
                  true
                ) is not null,
                pg_catalog.set_config(
                  'engine.rows',
                  coalesce(
                    (select pg_catalog.btrim(pg_catalog.array_agg("engine row")::text, '{{}}') from "written"), ''
                  ),
                  true
                ) is not null
            `,
            `
              insert into "public"."message" as "message#1" ("body", "ticket_id")
              values ({$body::text}, (pg_catalog.current_setting('engine.row_1')::text[])[1]::integer)
              returning ({check insert public.message "message#1"})::boolean
            `,
            statement1,
          ],
        },
      ],
    },
  ],
  execution: {
    values: {
      "subject::text": { encoding: { as: "value", type: "text" }, path: "$.selectionSet.insert_ticket_one.args.object.subject" },
      "body::text": { encoding: { as: "value", type: "text" }, path: "$.selectionSet.insert_ticket_one.args.object.messages.data[0].body" },
    },
    plans: [
      {
        steps: [
          {
            statements: [
              {
                path: "$.selectionSet.insert_ticket_one.args.object",
                noRow: {
                  message: "cannot proceed to insert array relations since insert to table \"ticket\" affects zero rows",
                  path: "$.selectionSet.insert_ticket_one.args.object",
                },
                writes: ["public.ticket"],
              },
              {
                path: "$.selectionSet.insert_ticket_one.args.object.messages.data",
                writes: ["public.message"],
              },
              {},
            ],
            answer: [2],
          },
        ],
        answer: ["{\"insert_ticket_one\":", { step: 0, column: 0 }, "}"],
      },
    ],
  },
});
