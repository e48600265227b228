// default · logical model asks · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const asks = table(source, {
  schema: "",
  name: "asks",
  kind: "view",
  graphqlName: "asks",
  columns: {
    first: { type: "jsonb", promised: true, readOnly: true, field: null, nested: true },
  },
  relationships: {
    first: { kind: "object", target: ".line_of_sale", columns: {}, nested: "first" },
  },
  bodyHash: "4930afe7def607a399d9008c12c8924e",
  readOnly: ["insert", "update", "delete"],
}, {
});

export type Asks = Row<typeof asks>;
export type AsksWhere = Where<typeof asks>;
