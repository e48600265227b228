// service_desk · take · saved operation
import { savedOperation } from "engine/contract";

export const takeOperation = savedOperation({
  collection: "service_desk",
  name: "take",
  kind: "mutation",
  variables: {
    id: { type: "Int!" },
    agent: { type: "Int!" },
  },
  document: `mutation take($id: Int!, $agent: Int!) {
  update_ticket_by_pk(pk_columns: { id: $id }, _set: { assignee_id: $agent }) {
    id
    assignee_id
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
                update "public"."ticket" as "ticket#1"
                set "assignee_id" = ($1)::integer
                where "ticket#1"."id" = ($2)::integer
                returning (
                  select row_to_json("row#2")
                  from (
                    select "ticket#1"."id" as "id", "ticket#1"."assignee_id" as "assignee_id"
                  ) as "row#2"
                )::text
              `,
              parameters: [
                { variable: "agent", encoding: { as: "value", type: "int4" }, path: "$.selectionSet.update_ticket_by_pk.args._set.assignee_id" },
                { variable: "id", encoding: { as: "value", type: "int4" }, path: "$.selectionSet.update_ticket_by_pk.args.pk_columns.id" },
              ],
              path: "$",
            },
          ],
          answer: [0],
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
                update "public"."ticket" as "ticket#1"
                set "assignee_id" = ($1)::integer, "updated_at" = 'now()'::text::timestamptz
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
                returning (
                  select row_to_json("row#2")
                  from (
                    select "ticket#1"."id" as "id", "ticket#1"."assignee_id" as "assignee_id"
                  ) as "row#2"
                )::text, (
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
                )::boolean
              `,
              parameters: [
                { variable: "agent", encoding: { as: "value", type: "int4" }, path: "$.selectionSet.update_ticket_by_pk.args._set.assignee_id" },
                { session: "x-engine-tenant-id" },
                { session: "x-engine-user-id" },
                { variable: "id", encoding: { as: "value", type: "int4" }, path: "$.selectionSet.update_ticket_by_pk.args.pk_columns.id" },
              ],
              path: "$",
            },
          ],
          answer: [0],
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
                update "public"."ticket" as "ticket#1"
                set "assignee_id" = ($1)::integer, "updated_at" = 'now()'::text::timestamptz
                where ("ticket#1"."tenant_id" = ($2)::integer) and "ticket#1"."id" = ($3)::integer
                returning (
                  select row_to_json("row#2")
                  from (
                    select "ticket#1"."id" as "id", "ticket#1"."assignee_id" as "assignee_id"
                  ) as "row#2"
                )::text, (
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
                )::boolean
              `,
              parameters: [
                { variable: "agent", encoding: { as: "value", type: "int4" }, path: "$.selectionSet.update_ticket_by_pk.args._set.assignee_id" },
                { session: "x-engine-tenant-id" },
                { variable: "id", encoding: { as: "value", type: "int4" }, path: "$.selectionSet.update_ticket_by_pk.args.pk_columns.id" },
              ],
              path: "$",
            },
          ],
          answer: [0],
        },
      ],
      answer: ["{\"update_ticket_by_pk\":", { step: 0, column: 0 }, "}"],
    },
  ],
});
