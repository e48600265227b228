// default · logical model line_of_sale · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const lineOfSale = table(source, {
  schema: "",
  name: "line_of_sale",
  kind: "view",
  graphqlName: "line_of_sale",
  columns: {
    product: { type: "text", readOnly: true },
    price: { type: "numeric", readOnly: true },
  },
  bodyHash: "7638c36da01091dde8e3e02d17b3193f",
  readOnly: ["insert", "update", "delete"],
}, {
});

export type LineOfSale = Row<typeof lineOfSale>;
export type LineOfSaleWhere = Where<typeof lineOfSale>;
