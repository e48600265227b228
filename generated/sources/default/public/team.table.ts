// default · public.team · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const team = table(source, {
  schema: "public",
  name: "team",
  kind: "table",
  graphqlName: "team",
  description: "A group of agents that answers one kind of question",
  columns: {
    id: { type: "int4", notNull: true, hasDefault: true },
    tenant_id: { type: "int4", notNull: true },
    name: { type: "text", notNull: true },
  },
  relationships: {
    members: { kind: "array", target: "public.team_member", columns: { id: "team_id" } },
    saved_replies: { kind: "array", target: "public.saved_reply", columns: { id: "team_id" } },
    tenant: { kind: "object", target: "public.tenant", columns: { tenant_id: "id" }, notNull: true, unique: true },
    tickets: { kind: "array", target: "public.ticket", columns: { tenant_id: "tenant_id", id: "team_id" } },
    workload: { kind: "object", target: "public.team_workload", columns: { id: "team_id" } },
  },
  primaryKey: { name: "team_pkey", columns: ["id"] },
  unique: { team_tenant_id_id_key: ["tenant_id", "id"], team_tenant_id_name_key: ["tenant_id", "name"] },
  onDelete: { "public.tenant": "cascade" },
}, standardFields("team"));

export type Team = Row<typeof team>;
export type TeamWhere = Where<typeof team>;
