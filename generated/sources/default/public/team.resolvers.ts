// default · public.team · resolvers
import {
  deleteRow,
  deleteRows,
  insertRow,
  insertRows,
  resolvers,
  selectAggregate,
  selectByKey,
  selectRows,
  updateMany,
  updateRow,
  updateRows,
} from "engine/contract";
import { teamAccess } from "./team.access.ts";

export const teamResolvers = resolvers(teamAccess, {
  query: {
    team: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(teamAccess, requester, selection, args),
    },
    team_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(teamAccess, requester, selection, args),
    },
    team_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(teamAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_team: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(teamAccess, requester, selection, args),
    },
    insert_team_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(teamAccess, requester, selection, args),
    },
    update_team: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(teamAccess, requester, selection, args),
    },
    update_team_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(teamAccess, requester, selection, args),
    },
    update_team_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(teamAccess, requester, selection, args),
    },
    delete_team: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(teamAccess, requester, selection, args),
    },
    delete_team_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(teamAccess, requester, selection, args),
    },
  },
});
