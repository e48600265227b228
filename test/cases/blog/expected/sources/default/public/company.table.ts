// default · public.company · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
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
}, standardFields("company"));

export type Company = Row<typeof company>;
export type CompanyWhere = Where<typeof company>;
