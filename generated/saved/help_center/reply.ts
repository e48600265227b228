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
      roles: ["agent"],
      steps: [
        {
          source: "default",
          statements: [
            `
              insert into "public"."message" as "message#1" ("ticket_id", "body", "author_agent_id")
              values ({$ticket::integer}, {$body::text}, ({preset insert public.message author_agent_id}))
              returning (
                select pg_catalog.row_to_json("row#2".*)
                from (select "message#1"."id" as "id", "message#1"."created_at" as "created_at") as "row#2"
              )::text, (
                {check insert public.message "message#1"}
              )::boolean
            `,
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
              insert into "public"."message" as "message#1" (
                "ticket_id", "body", "author_customer_id", "is_internal"
              )
              values (
                {$ticket::integer},
                {$body::text},
                ({preset insert public.message author_customer_id}),
                ({preset insert public.message is_internal})
              )
              returning (
                select pg_catalog.row_to_json("row#2".*)
                from (select "message#1"."id" as "id", "message#1"."created_at" as "created_at") as "row#2"
              )::text, (
                {check insert public.message "message#1"}
              )::boolean
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
              insert into "public"."message" as "message#1" ("ticket_id", "body")
              values ({$ticket::integer}, {$body::text})
              returning (
                select pg_catalog.row_to_json("row#2".*)
                from (select "message#1"."id" as "id", "message#1"."created_at" as "created_at") as "row#2"
              )::text, (
                {check insert public.message "message#1"}
              )::boolean
            `,
          ],
        },
      ],
    },
  ],
  execution: {
    values: {
      "ticket::integer": { encoding: { as: "value", type: "int4" }, path: "$.selectionSet.insert_message_one.args.object.ticket_id" },
      "body::text": { encoding: { as: "value", type: "text" }, path: "$.selectionSet.insert_message_one.args.object.body" },
    },
    plans: [
      {
        steps: [
          {
            statements: [{ path: "$.selectionSet.insert_message_one.args.object", writes: ["public.message"] }],
            answer: [0],
          },
        ],
        answer: ["{\"insert_message_one\":", { step: 0, column: 0 }, "}"],
      },
    ],
  },
});
