// default · public.saved_reply · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
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
}, standardFields("saved_reply"));

export type SavedReply = Row<typeof savedReply>;
export type SavedReplyWhere = Where<typeof savedReply>;
