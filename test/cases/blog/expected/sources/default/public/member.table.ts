// default · public.member · shape and root fields
import { type Row, table, type Where } from "engine/contract";
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
}, {
  query: { member: "select", member_by_pk: "select_by_pk", member_aggregate: "select_aggregate" },
  subscription: { member_stream: "select_stream" },
  mutation: {
    insert_member: "insert",
    insert_member_one: "insert_one",
    update_member: "update",
    update_member_by_pk: "update_by_pk",
    update_member_many: "update_many",
    delete_member: "delete",
    delete_member_by_pk: "delete_by_pk",
  },
});

export type Member = Row<typeof member>;
export type MemberWhere = Where<typeof member>;
