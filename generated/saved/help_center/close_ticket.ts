// help_center · close_ticket · saved operation
import { savedOperation } from "engine/contract";

const statement1 = `
  select (
    select pg_catalog.row_to_json("row#5".*)
    from (
      select
        "ticket#2"."id" as "id",
        "ticket#2"."status" as "status",
        (
          select coalesce(pg_catalog.json_agg("rows#4".*), '[]')
          from (
            select "messages#3"."body" as "body", "messages#3"."created_at" as "created_at"
            from "public"."message" as "messages#3"
            where "messages#3"."ticket_id" = "ticket#2"."id" and {select public.message "messages#3"}
            order by "messages#3"."created_at" desc
            limit {limit public.message 1}
          ) as "rows#4"
        ) as "messages"
      from pg_catalog.unnest(
        pg_catalog.concat('{{', pg_catalog.current_setting('engine.rows'), '}}')::"public"."ticket"[]
      ) as "ticket#2"
    ) as "row#5"
  )::text
`;

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
      roles: ["agent", "customer", "manager"],
      steps: [
        {
          source: "default",
          statements: [
            `
              with "written" as (
                update "public"."ticket" as "ticket#1"
                set "status" = {"closed"::text}, "updated_at" = {preset update public.ticket updated_at}
                where {update public.ticket "ticket#1"} and "ticket#1"."id" = {$id::integer}
                returning "ticket#1".*, pg_catalog.concat("ticket#1".*) as "engine row", ({check update public.ticket "ticket#1"})::boolean as "engine check"
              )
              select pg_catalog.set_config(
                'engine.rows',
                coalesce(
                  (select pg_catalog.btrim(pg_catalog.array_agg("engine row")::text, '{{}}') from "written"), ''
                ),
                true
              ) is not null
            `,
            statement1,
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
                update "public"."ticket" as "ticket#1"
                set "status" = {"closed"::text}
                where {update public.ticket "ticket#1"} and "ticket#1"."id" = {$id::integer}
                returning "ticket#1".*, pg_catalog.concat("ticket#1".*) as "engine row", ({check update public.ticket "ticket#1"})::boolean as "engine check"
              )
              select pg_catalog.set_config(
                'engine.rows',
                coalesce(
                  (select pg_catalog.btrim(pg_catalog.array_agg("engine row")::text, '{{}}') from "written"), ''
                ),
                true
              ) is not null
            `,
            statement1,
          ],
        },
      ],
    },
  ],
  execution: {
    values: {
      "id::integer": { encoding: { as: "value", type: "int4" }, path: "$.selectionSet.update_ticket_by_pk.args.pk_columns.id" },
    },
    plans: [
      {
        steps: [{ statements: [{ writes: ["public.ticket"] }, {}], answer: [1] }],
        answer: ["{\"update_ticket_by_pk\":", { step: 0, column: 0 }, "}"],
      },
    ],
  },
});
