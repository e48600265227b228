// default · public.saved_reply · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const savedReply = table(source, {
  schema: "public",
  name: "saved_reply",
  kind: "table",
  graphqlName: "saved_reply",
  description: "A text that agents send often",
  columns: {
    id: { type: "int4", notNull: true, hasDefault: true },
    tenant_id: { type: "int4", notNull: true },
    team_id: { type: "int4", description: "Null: for all teams of the tenant" },
    title: { type: "text", notNull: true },
    body: { type: "text", notNull: true },
  },
  relationships: {
    team: { kind: "object", target: "public.team", columns: { team_id: "id" }, unique: true },
    tenant: { kind: "object", target: "public.tenant", columns: { tenant_id: "id" }, notNull: true, unique: true },
  },
  primaryKey: { name: "saved_reply_pkey", columns: ["id"] },
  onDelete: { "public.team": "cascade", "public.tenant": "cascade" },
}, {
  query: { saved_reply: "select", saved_reply_by_pk: "select_by_pk", saved_reply_aggregate: "select_aggregate" },
  subscription: { saved_reply_stream: "select_stream" },
  mutation: {
    insert_saved_reply: "insert",
    insert_saved_reply_one: "insert_one",
    update_saved_reply: "update",
    update_saved_reply_by_pk: "update_by_pk",
    update_saved_reply_many: "update_many",
    delete_saved_reply: "delete",
    delete_saved_reply_by_pk: "delete_by_pk",
  },
});

export type SavedReply = Row<typeof savedReply>;
export type SavedReplyWhere = Where<typeof savedReply>;
