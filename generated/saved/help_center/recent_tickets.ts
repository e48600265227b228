// help_center · recent_tickets · saved operation
import { savedOperation } from "engine/contract";

export const recentTicketsOperation = savedOperation({
  collection: "help_center",
  name: "recent_tickets",
  kind: "query",
  variables: {
    limit: { type: "Int!", default: 20 },
  },
  document: `query recent_tickets($limit: Int! = 20) {
  ticket(order_by: { created_at: desc }, limit: $limit) {
    id
    subject
    status
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
              select coalesce(pg_catalog.json_agg("rows#2".*), '[]')
              from (
                select
                  "ticket#1"."id" as "id",
                  "ticket#1"."subject" as "subject",
                  "ticket#1"."status" as "status"
                from "public"."ticket" as "ticket#1"
                where {select public.ticket "ticket#1"}
                order by "ticket#1"."created_at" desc
                limit {$limit::bigint}
              ) as "rows#2"
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
              select coalesce(pg_catalog.json_agg("rows#2".*), '[]')
              from (
                select
                  "ticket#1"."id" as "id",
                  "ticket#1"."subject" as "subject",
                  "ticket#1"."status" as "status"
                from "public"."ticket" as "ticket#1"
                where {select public.ticket "ticket#1"}
                order by "ticket#1"."created_at" desc
                limit least({$limit::bigint}, {limit public.ticket})
              ) as "rows#2"
            )::text
          `,
        },
      ],
    },
  ],
  execution: {
    values: {
      "limit::bigint": { encoding: { as: "argument", scalar: "Int", accepts: "count" }, path: "$.selectionSet.ticket.args.limit" },
    },
    plans: [{ answer: ["{\"ticket\":", { step: 0, column: 0 }, "}"] }],
  },
});
