// default · public.sale · shape and root fields
import { type Row, table, type Where } from "engine/contract";
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
}, {
  query: { sale: "select", sale_by_pk: "select_by_pk", sale_aggregate: "select_aggregate" },
  subscription: { sale_stream: "select_stream" },
  mutation: {
    insert_sale: "insert",
    insert_sale_one: "insert_one",
    update_sale: "update",
    update_sale_by_pk: "update_by_pk",
    update_sale_many: "update_many",
    delete_sale: "delete",
    delete_sale_by_pk: "delete_by_pk",
  },
});

export type Sale = Row<typeof sale>;
export type SaleWhere = Where<typeof sale>;
