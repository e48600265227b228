// live · one_item · saved operation
import { savedOperation } from "engine/contract";

export const oneItemOperation = savedOperation({
  collection: "live",
  name: "one_item",
  kind: "subscription",
  variables: {
    id: { type: "Int!" },
  },
  document: `subscription one_item($id: Int!) { item_by_pk(id: $id) { word } }`,
  plans: [
    {
      roles: ["admin", "user"],
      steps: [
        {
          source: "default",
          sql: `
            select '{{"item_by_pk":' || coalesce(
              (
                (
                  select pg_catalog.row_to_json("row#2".*)
                  from (
                    select "item#1"."word" as "word"
                    from "public"."item" as "item#1"
                    where "item#1"."id" = {$id::integer} and {select public.item "item#1"}
                  ) as "row#2"
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
      "public.item (id, word) where id = $id",
    ],
    user: [
      "public.app (id, owner) where owner = X-Engine-User-Id",
      "public.item (app_id, id, word) where id = $id",
    ],
  },
  execution: {
    values: {
      "id::integer": { encoding: { as: "value", type: "int4" }, path: "$.selectionSet.item_by_pk.args.id" },
    },
    plans: [
      {
        steps: [
          {
            reads: {
              tables: [
                {
                  table: "public.item",
                  as: "item#1",
                  columns: ["id", "word"],
                  where: { id: "$id::integer" },
                  rule: true,
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
