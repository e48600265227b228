// default · logical model region_report · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const regionReport = table(source, {
  schema: "",
  name: "region_report",
  kind: "view",
  graphqlName: "region_report",
  columns: {
    region: { type: "text", promised: true, readOnly: true },
    sold: { type: "jsonb", promised: true, readOnly: true, field: null, nested: true },
    first: { type: "jsonb", readOnly: true, field: null, nested: true, description: "The line that was sold first" },
  },
  relationships: {
    first: {
      kind: "object",
      target: ".line_of_sale",
      columns: {},
      nested: "first",
      description: "The line that was sold first",
    },
    sold: { kind: "array", target: ".line_of_sale", columns: {}, nested: "sold" },
  },
  bodyHash: "b18f51dcb4bf652d28b655cf85bacf0b",
  readOnly: ["insert", "update", "delete"],
}, {
});

export type RegionReport = Row<typeof regionReport>;
export type RegionReportWhere = Where<typeof regionReport>;
