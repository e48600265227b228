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
      roles: ["agent", "manager"],
      steps: [
        {
          source: "default",
          statements: [
            `
              update "public"."ticket" as "ticket#1"
              set "assignee_id" = {$agent::integer}, "updated_at" = {preset update public.ticket updated_at}
              where {update public.ticket "ticket#1"} and "ticket#1"."id" = {$id::integer}
              returning (
                select pg_catalog.row_to_json("row#2".*)
                from (select "ticket#1"."id" as "id", "ticket#1"."assignee_id" as "assignee_id") as "row#2"
              )::text, ({check update public.ticket "ticket#1"})::boolean
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
              update "public"."ticket" as "ticket#1"
              set "assignee_id" = {$agent::integer}
              where {update public.ticket "ticket#1"} and "ticket#1"."id" = {$id::integer}
              returning (
                select pg_catalog.row_to_json("row#2".*)
                from (select "ticket#1"."id" as "id", "ticket#1"."assignee_id" as "assignee_id") as "row#2"
              )::text, ({check update public.ticket "ticket#1"})::boolean
            `,
          ],
        },
      ],
    },
  ],
  execution: {
    values: {
      "agent::integer": { encoding: { as: "value", type: "int4" }, path: "$.selectionSet.update_ticket_by_pk.args._set.assignee_id" },
      "id::integer": { encoding: { as: "value", type: "int4" }, path: "$.selectionSet.update_ticket_by_pk.args.pk_columns.id" },
    },
    plans: [
      {
        steps: [{ statements: [{ writes: ["public.ticket"] }], answer: [0] }],
        answer: ["{\"update_ticket_by_pk\":", { step: 0, column: 0 }, "}"],
      },
    ],
  },
});
