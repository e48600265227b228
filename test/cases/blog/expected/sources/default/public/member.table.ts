// default · public.member · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const member = table(source, {
  schema: "public",
  name: "member",
  kind: "table",
  graphqlName: "member",
  columns: {
    company_id: { type: "int4", notNull: true },
    user_id: { type: "int4", notNull: true },
    role: { type: "text", notNull: true },
  },
  primaryKey: { name: "member_pkey", columns: ["company_id", "user_id"] },
  references: [{ columns: ["company_id"], target: "public.company" }],
}, standardFields("member"));

export type Member = Row<typeof member>;
export type MemberWhere = Where<typeof member>;
