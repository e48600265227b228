// default · public.team_workload · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const teamWorkload = table(source, {
  schema: "public",
  name: "team_workload",
  kind: "view",
  graphqlName: "team_workload",
  description: "What lies on each team's desk now",
  columns: {
    team_id: { type: "int4", readOnly: true, origin: { table: "public.team", column: "id" } },
    tenant_id: { type: "int4", readOnly: true, origin: { table: "public.team", column: "tenant_id" } },
    team_name: { type: "text", readOnly: true, origin: { table: "public.team", column: "name" } },
    open_tickets: { type: "int8", readOnly: true },
    unassigned_tickets: { type: "int8", readOnly: true },
    urgent_tickets: { type: "int8", readOnly: true },
    waiting_since: { type: "timestamptz", readOnly: true, description: "When the oldest ticket still open was written" },
  },
  relationships: {
    team: { kind: "object", target: "public.team", columns: { team_id: "id" }, unique: true },
  },
  below: {
    reads: {
      "public.team": ["id", "tenant_id", "name"],
      "public.ticket": ["id", "team_id", "assignee_id", "status", "priority", "created_at"],
    },
  },
  bodyHash: "c61789aaa71bf892eec441d806f07e27",
  readOnly: ["insert", "update", "delete"],
}, {
  query: { team_workload: "select", team_workload_aggregate: "select_aggregate" },
  subscription: { team_workload_stream: "select_stream" },
});

export type TeamWorkload = Row<typeof teamWorkload>;
export type TeamWorkloadWhere = Where<typeof teamWorkload>;
