// default · native query lines_above · function
import { trackedFunction } from "engine/contract";
import { source } from "../source.ts";

export const linesAbove = trackedFunction(source, {
  schema: "",
  name: "lines_above",
  graphqlName: "lines_above",
  arguments: [{ name: "sale", type: "int8", notNull: true }, { name: "least", type: "numeric", notNull: true }],
  returns: { table: ".line_of_sale", set: true },
  bodyHash: "413000a61ce50daa8b12ffda92fc0973",
  below: { reads: { "public.sale": ["id", "lines"] } },
  roles: [],
  sql: `select (unnest(lines)).* from sale where id = {{sale}} and id > {{least}}`,
  fields: {
    query: { lines_above: "function", lines_above_aggregate: "function_aggregate" },
  },
});
