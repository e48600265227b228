// live · mine · saved operation
import { savedOperation } from "engine/contract";

export const mineOperation = savedOperation({
  collection: "live",
  name: "mine",
  kind: "subscription",
  variables: {
    word: { type: "String" },
  },
  document: `subscription mine($word: String) { app(where: { items: { word: { _eq: $word } } }) { id items { id } } }`,
  plans: [
    {
      roles: ["admin", "user"],
      when: { word: "value" },
      steps: [
        {
          source: "default",
          sql: `
            select '{{"app":' || coalesce(
              (
                (
                  select coalesce(pg_catalog.json_agg("rows#5".*), '[]')
                  from (
                    select
                      "app#1"."id" as "id",
                      (
                        select coalesce(pg_catalog.json_agg("rows#4".*), '[]')
                        from (
                          select "items#3"."id" as "id"
                          from "public"."item" as "items#3"
                          where "items#3"."app_id" = "app#1"."id"
                            and {select public.item "items#3" through public.app items}
                        ) as "rows#4"
                      ) as "items"
                    from "public"."app" as "app#1"
                    where {select public.app "app#1"}
                      and exists (
                        select 1
                        from "public"."item" as "items#2"
                        where "items#2"."app_id" = "app#1"."id"
                          and {select public.item "items#2" through public.app items}
                          and ("items#2"."word" = {$word::text})
                      )
                  ) as "rows#5"
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
      "public.app (id)",
      "public.item (app_id, id, word)",
    ],
    user: [
      "public.app (id, owner) where owner = X-Engine-User-Id",
      "public.item (app_id, id, word)",
    ],
  },
  execution: {
    values: {
      "word::text": { encoding: { as: "value", type: "text" }, path: "$.selectionSet.app.args.where.items.word._eq" },
    },
    plans: [
      {
        steps: [
          {
            reads: {
              tables: [
                { table: "public.app", as: "app#1", columns: ["id"], rule: true },
                {
                  table: "public.item",
                  as: "items#3",
                  columns: ["app_id", "id"],
                  rule: "through public.app items",
                },
                {
                  table: "public.item",
                  as: "items#2",
                  columns: ["app_id", "word"],
                  where: { word: "$word::text" },
                  rule: "through public.app items",
                },
              ],
            },
          },
        ],
        answer: [],
      },
    ],
  },
});
