// default · native query by_json · function
import { trackedFunction } from "engine/contract";
import { source } from "../source.ts";

export const byJson = trackedFunction(source, {
  schema: "",
  name: "by_json",
  graphqlName: "by_json",
  arguments: [],
  returns: { table: ".region_report", set: true },
  bodyHash: "33803ba4fd25898b50b3a8bc113ff763",
  below: { reads: { "public.sale": ["region", "lines"] } },
  roles: [],
  sql: `select region, to_jsonb(lines) as sold, json_build_object('product', 1) as first from sale`,
  fields: {
    query: { by_json: "function", by_json_aggregate: "function_aggregate" },
  },
});
