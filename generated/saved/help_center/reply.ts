// help_center · reply · saved operation
import { savedOperation } from "engine/contract";

export const replyOperation = savedOperation({
  collection: "help_center",
  name: "reply",
  kind: "mutation",
  variables: {
    ticket: { type: "Int!" },
    body: { type: "String!" },
  },
  document: `mutation reply($ticket: Int!, $body: String!) {
  insert_message_one(object: { ticket_id: $ticket, body: $body }) {
    id
    created_at
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
                insert into "public"."message" as "message#1" ("ticket_id", "body")
                values (($1)::integer, ($2)::text)
                returning (
                  select row_to_json("row#2")
                  from (
                    select "message#1"."id" as "id", "message#1"."created_at" as "created_at"
                  ) as "row#2"
                )::text
              `,
              parameters: [
                { variable: "ticket", encoding: { as: "value", type: "int4" }, path: "$.selectionSet.insert_message_one.args.object.ticket_id" },
                { variable: "body", encoding: { as: "value", type: "text" }, path: "$.selectionSet.insert_message_one.args.object.body" },
              ],
              path: "$.selectionSet.insert_message_one.args.object",
            },
          ],
          answer: [0],
        },
      ],
      answer: ["{\"insert_message_one\":", { step: 0, column: 0 }, "}"],
    },
    {
      roles: ["agent"],
      steps: [
        {
          source: "default",
          statements: [
            {
              sql: `
                insert into "public"."message" as "message#1" ("ticket_id", "body", "author_agent_id")
                values (($1)::integer, ($2)::text, (($3)::integer))
                returning (
                  select row_to_json("row#2")
                  from (
                    select "message#1"."id" as "id", "message#1"."created_at" as "created_at"
                  ) as "row#2"
                )::text, (
                  case when (
                    exists (
                      select 1
                      from "public"."ticket" as "_r1"
                      where "_r1"."id" = "message#1"."ticket_id"
                        and "_r1"."tenant_id" = ($4)::integer
                    )
                  ) is not true then concat(
                    'check constraint of an insert/update permission has failed',
                    ' [default.public.message.insert check]'
                  ) else 'true' end
                )::boolean
              `,
              parameters: [
                { variable: "ticket", encoding: { as: "value", type: "int4" }, path: "$.selectionSet.insert_message_one.args.object.ticket_id" },
                { variable: "body", encoding: { as: "value", type: "text" }, path: "$.selectionSet.insert_message_one.args.object.body" },
                { session: "x-engine-user-id" },
                { session: "x-engine-tenant-id" },
              ],
              path: "$.selectionSet.insert_message_one.args.object",
            },
          ],
          answer: [0],
        },
      ],
      answer: ["{\"insert_message_one\":", { step: 0, column: 0 }, "}"],
    },
    {
      roles: ["customer"],
      steps: [
        {
          source: "default",
          statements: [
            {
              sql: `
                insert into "public"."message" as "message#1" (
                  "ticket_id", "body", "author_customer_id", "is_internal"
                )
                values (($1)::integer, ($2)::text, (($3)::integer), (false))
                returning (
                  select row_to_json("row#2")
                  from (
                    select "message#1"."id" as "id", "message#1"."created_at" as "created_at"
                  ) as "row#2"
                )::text, (
                  case when (
                    exists (
                      select 1
                      from "public"."ticket" as "_r1"
                      where "_r1"."id" = "message#1"."ticket_id"
                        and "_r1"."customer_id" = ($3)::integer
                        and "_r1"."status" <> 'closed'
                    )
                  ) is not true then concat(
                    'check constraint of an insert/update permission has failed',
                    ' [default.public.message.insert check]'
                  ) else 'true' end
                )::boolean
              `,
              parameters: [
                { variable: "ticket", encoding: { as: "value", type: "int4" }, path: "$.selectionSet.insert_message_one.args.object.ticket_id" },
                { variable: "body", encoding: { as: "value", type: "text" }, path: "$.selectionSet.insert_message_one.args.object.body" },
                { session: "x-engine-user-id" },
              ],
              path: "$.selectionSet.insert_message_one.args.object",
            },
          ],
          answer: [0],
        },
      ],
      answer: ["{\"insert_message_one\":", { step: 0, column: 0 }, "}"],
    },
  ],
});
