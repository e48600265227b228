// default · public.sale · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const sale = table(source, {
  schema: "public",
  name: "sale",
  kind: "table",
  graphqlName: "sale",
  columns: {
    id: { type: "int4", notNull: true },
    region: { type: "text", notNull: true },
    seller: { type: "text", notNull: true },
    lines: { type: "public.sold_line[]", notNull: true },
    paid: { type: "date" },
  },
  relationships: {
    above: {
      kind: "array",
      target: ".line_of_sale",
      columns: {},
      query: {
        name: "lines_above",
        sql: "select (unnest(lines)).* from sale where id = {{sale}} and id > {{least}}",
        arguments: [{ name: "sale", type: "int8", notNull: true }, { name: "least", type: "numeric", notNull: true }],
      },
      given: { sale: "id" },
    },
  },
  primaryKey: { name: "sale_pkey", columns: ["id"] },
}, standardFields("sale"));

export type Sale = Row<typeof sale>;
export type SaleWhere = Where<typeof sale>;
