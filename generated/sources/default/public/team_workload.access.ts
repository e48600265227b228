// default · public.team_workload · access
import { access } from "engine/contract";
import { teamWorkload } from "./team_workload.table.ts";

export const teamWorkloadAccess = access(teamWorkload, {
  select: {
    agent: {
      columns: ["team_id", "team_name", "open_tickets", "unassigned_tickets", "urgent_tickets"],
      where: `{row}."team_id" = any ({session.x-engine-team-ids::integer[]})`,
    },
    manager: {
      columns: ["team_id", "team_name", "open_tickets", "unassigned_tickets", "urgent_tickets", "waiting_since"],
      where: `{row}."tenant_id" = {session.x-engine-tenant-id::integer}`,
      aggregations: true,
    },
  },
});
