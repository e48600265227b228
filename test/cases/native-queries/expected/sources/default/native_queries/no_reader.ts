// default · native query no_reader · function
import { trackedFunction } from "engine/contract";
import { source } from "../source.ts";

export const noReader = trackedFunction(source, {
  schema: "",
  name: "no_reader",
  graphqlName: "no_reader",
  volatile: true,
  writes: { "public.archive": ["delete"] },
  arguments: [],
  returns: { table: ".line_of_sale", set: true },
  bodyHash: "28ebfef3e5861e634c3862ef8ec16527",
  below: { reads: { "public.archive": ["region"] } },
  roles: [],
  sql: `delete from archive returning region as product, 1::numeric as price`,
  fields: {
    mutation: { no_reader: "function" },
  },
});
