// default · public.account · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const account = table(source, {
  schema: "public",
  name: "account",
  kind: "table",
  graphqlName: "account",
  columns: {
    id: { type: "int4", notNull: true },
    code: { type: "uuid", notNull: true },
    name: { type: "text", notNull: true },
    big: { type: "int8" },
    active: { type: "bool" },
  },
  primaryKey: { name: "account_pkey", columns: ["id"] },
}, standardFields("account"));

export type Account = Row<typeof account>;
export type AccountWhere = Where<typeof account>;
