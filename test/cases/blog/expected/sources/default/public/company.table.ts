// default · public.company · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const company = table(source, {
  schema: "public",
  name: "company",
  kind: "table",
  graphqlName: "company",
  columns: {
    id: { type: "int4", notNull: true },
    name: { type: "text", notNull: true },
    country: { type: "text" },
  },
  relationships: {
    authors: { kind: "array", target: "public.author", columns: { id: "company_id" } },
    members: { kind: "array", target: "public.member", columns: { id: "company_id" } },
  },
  primaryKey: { name: "company_pkey", columns: ["id"] },
}, {
  query: { company: "select", company_by_pk: "select_by_pk", company_aggregate: "select_aggregate" },
  subscription: { company_stream: "select_stream" },
  mutation: {
    insert_company: "insert",
    insert_company_one: "insert_one",
    update_company: "update",
    update_company_by_pk: "update_by_pk",
    update_company_many: "update_many",
    delete_company: "delete",
    delete_company_by_pk: "delete_by_pk",
  },
});

export type Company = Row<typeof company>;
export type CompanyWhere = Where<typeof company>;
