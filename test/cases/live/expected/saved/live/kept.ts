// live · kept · saved operation
import { savedOperation } from "engine/contract";

const statement1 = `
  select (
    select pg_catalog.row_to_json("row#2".*)
    from (
      select "item#1"."word" as "word"
      from "public"."item" as "item#1"
      where "item#1"."id" = {$id::integer} and {select public.item "item#1"}
    ) as "row#2"
  )::text
`;

export const keptOperation = savedOperation({
  collection: "live",
  name: "kept",
  kind: "query",
  variables: {
    id: { type: "Int!" },
    ttl: { type: "Int" },
  },
  document: `query kept($id: Int!, $ttl: Int) @cached(ttl: $ttl) { item_by_pk(id: $id) { word } }`,
  plans: [
    {
      roles: ["admin", "user"],
      when: { ttl: "value" },
      steps: [
        {
          source: "default",
          sql: statement1,
        },
      ],
      cached: { ttl: { from: "variable", name: "ttl", path: "" }, refresh: false },
    },
    {
      roles: ["admin", "user"],
      when: { ttl: "null" },
      steps: [
        {
          source: "default",
          sql: statement1,
        },
      ],
      cached: { ttl: { from: "constant", value: 60 }, refresh: false },
    },
  ],
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
        answer: ["{\"item_by_pk\":", { step: 0, column: 0 }, "}"],
      },
    ],
  },
});
