// live · busy · saved operation
import { savedOperation } from "engine/contract";

export const busyOperation = savedOperation({
  collection: "live",
  name: "busy",
  kind: "subscription",
  document: `subscription busy { busy_app { id items } }`,
  plans: [
    {
      roles: ["admin", "user"],
      steps: [
        {
          source: "default",
          sql: `
            select '{{"busy_app":' || coalesce(
              (
                (
                  select coalesce(pg_catalog.json_agg("rows#2".*), '[]')
                  from (
                    select "busy_app#1"."id" as "id", "busy_app#1"."items" as "items"
                    from "public"."busy_app" as "busy_app#1"
                    where {select public.busy_app "busy_app#1"}
                  ) as "rows#2"
                )
              )::text,
              'null'
            ) || '}}' as "text"
          `,
        },
      ],
    },
  ],
  wakes: {
    admin: [
      "public.busy_app (id, items): a view, any row of what it reads",
    ],
    user: [
      "public.busy_app (id, items, owner): a view, any row of what it reads",
    ],
  },
  execution: {
    plans: [
      {
        steps: [
          {
            reads: { tables: [{ table: "public.busy_app", as: "busy_app#1", columns: ["id", "items"], rule: true }] },
          },
        ],
        answer: [],
      },
    ],
  },
});
