// default · public.team · shape
import { table } from "engine/contract";
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
  primaryKey: { name: "team_pkey", columns: ["id"] },
  unique: { team_tenant_id_id_key: ["tenant_id", "id"], team_tenant_id_name_key: ["tenant_id", "name"] },
  relationships: {
    members: { kind: "array", target: "public.team_member", columns: { id: "team_id" } },
    saved_replies: { kind: "array", target: "public.saved_reply", columns: { id: "team_id" } },
    tenant: { kind: "object", target: "public.tenant", columns: { tenant_id: "id" }, notNull: true, unique: true },
    tickets: { kind: "array", target: "public.ticket", columns: { tenant_id: "tenant_id", id: "team_id" } },
    workload: { kind: "object", target: "public.team_workload", columns: { id: "team_id" } },
  },
});
