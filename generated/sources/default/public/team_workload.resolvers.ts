// default · public.team_workload · resolvers
import { resolvers, selectAggregate, selectRows } from "engine/contract";
import { teamWorkloadAccess } from "./team_workload.access.ts";

export const teamWorkloadResolvers = resolvers(teamWorkloadAccess, {
  query: {
    team_workload: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(teamWorkloadAccess, requester, selection, args),
    },
    team_workload_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(teamWorkloadAccess, requester, selection, args),
    },
  },
});
