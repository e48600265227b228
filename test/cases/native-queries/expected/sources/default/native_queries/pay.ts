// default · native query pay · function
import { trackedFunction } from "engine/contract";
import { source } from "../source.ts";

export const pay = trackedFunction(source, {
  schema: "",
  name: "pay",
  graphqlName: "pay",
  volatile: true,
  writes: { "public.archive": ["insert"], "public.sale": ["update"] },
  arguments: [{ name: "sale", type: "int4", notNull: true }],
  returns: { table: ".region_report", set: true },
  bodyHash: "a013d205cd4ce876781ba58c2f971c2a",
  below: {
    reads: { "public.archive": ["id", "region"], "public.sale": ["id", "region", "seller", "lines", "paid"] },
  },
  roles: ["clerk"],
  sql: `with paid as (update sale set paid = current_date where id = {{sale}} returning *)
insert into archive select id, region from paid returning region, null::sold_line[] as sold, null::sold_line as first`,
  fields: {
    mutation: { pay: "function" },
  },
});
