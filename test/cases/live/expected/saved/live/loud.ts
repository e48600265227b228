// live · loud · saved operation
import { savedOperation } from "engine/contract";

export const loudOperation = savedOperation({
  collection: "live",
  name: "loud",
  kind: "subscription",
  document: `subscription loud { item { loud } }`,
  plans: [
    {
      roles: ["admin", "user"],
      steps: [
        {
          source: "default",
          sql: `
            select '{{"item":' || coalesce(
              (
                (
                  select coalesce(pg_catalog.json_agg("rows#2".*), '[]')
                  from (
                    select "public"."shout"("item#1".*) as "loud"
                    from "public"."item" as "item#1"
                    where {select public.item "item#1"}
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
      "public.item (all columns)",
      "public.shout(): read at the interval, unless the function is IMMUTABLE",
    ],
    user: [
      "public.app (id, owner) where owner = X-Engine-User-Id",
      "public.item (all columns)",
      "public.shout(): read at the interval, unless the function is IMMUTABLE",
    ],
  },
  execution: {
    plans: [
      {
        steps: [
          {
            reads: { tables: [{ table: "public.item", as: "item#1", rule: true }], functions: [["public", "shout"]] },
          },
        ],
        answer: [],
      },
    ],
  },
});
