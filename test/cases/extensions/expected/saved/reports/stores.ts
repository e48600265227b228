// reports · stores · saved operation
import { savedOperation } from "engine/contract";

export const storesOperation = savedOperation({
  collection: "reports",
  name: "stores",
  kind: "query",
  document: `query stores { my_store_group_by(keys: [name], order_by: {key: {name: asc}}) { key { name } aggregate { count } } my_store(order_by: {id: asc}) { sales_group_by(keys: [stage], order_by: {aggregate: {sum: {amount: desc}}}, limit: 10) { key { stage } aggregate { sum { amount } } } } }`,
  plans: [
    {
      roles: ["admin", "analyst"],
      steps: [
        {
          source: "default",
          sql: `
            select
              (
                select coalesce(pg_catalog.json_agg("rows#5".*), '[]')
                from (
                  select
                    pg_catalog.row_to_json("object#3".*) as "key",
                    pg_catalog.row_to_json("object#4".*) as "aggregate"
                  from (
                    select "shop#1"."name" as "k1", pg_catalog.count(*) as "a1"
                    from "public"."shop" as "shop#1"
                    where {select public.shop "shop#1"}
                    group by 1
                    order by 1 asc
                  ) as "group#2"
                  cross join lateral (select "group#2"."k1" as "name") as "object#3"
                  cross join lateral (select "group#2"."a1" as "count") as "object#4"
                ) as "rows#5"
              )::text,
              (
                select coalesce(pg_catalog.json_agg("rows#13".*), '[]')
                from (
                  select (
                    select coalesce(pg_catalog.json_agg("rows#12".*), '[]')
                    from (
                      select
                        pg_catalog.row_to_json("object#9".*) as "key",
                        pg_catalog.row_to_json("object#11".*) as "aggregate"
                      from (
                        select "sales#7"."stage" as "k1", pg_catalog.sum("sales#7"."amount") as "a1"
                        from "public"."sale" as "sales#7"
                        where "sales#7"."shop_id" = "shop#6"."id"
                          and {select public.sale "sales#7" through public.shop sales}
                        group by 1
                        order by pg_catalog.sum("sales#7"."amount") desc
                        limit {limit public.sale 10}
                      ) as "group#8"
                      cross join lateral (select "group#8"."k1" as "stage") as "object#9"
                      cross join lateral (select "group#8"."a1" as "amount") as "object#10"
                      cross join lateral (select pg_catalog.row_to_json("object#10".*) as "sum") as "object#11"
                    ) as "rows#12"
                  ) as "sales_group_by"
                  from "public"."shop" as "shop#6"
                  where {select public.shop "shop#6"}
                  order by "shop#6"."id" asc
                ) as "rows#13"
              )::text
          `,
        },
      ],
    },
  ],
  execution: {
    plans: [
      {
        answer: ["{\"my_store_group_by\":", { step: 0, column: 0 }, ",\"my_store\":", { step: 0, column: 1 }, "}"],
      },
    ],
  },
});
