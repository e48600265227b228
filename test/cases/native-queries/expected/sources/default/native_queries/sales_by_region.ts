// default · native query sales_by_region · function
import { trackedFunction } from "engine/contract";
import { source } from "../source.ts";

export const salesByRegion = trackedFunction(source, {
  schema: "",
  name: "sales_by_region",
  graphqlName: "sales_by_region",
  arguments: [{ name: "since", type: "date", hasDefault: true }],
  returns: { table: ".region_report", set: true },
  bodyHash: "af2349a530e17d858efc487943068896",
  below: { reads: { "public.sale": ["region", "lines", "paid"] } },
  roles: [],
  sql: `select s.region, array_agg(l order by s.paid) as sold, (array_agg(l order by s.paid))[1] as first
from sale s cross join lateral unnest(s.lines) as l
where s.paid >= {{since}} group by s.region`,
  fields: {
    query: { sales_by_region: "function", sales_by_region_aggregate: "function_aggregate" },
  },
});
