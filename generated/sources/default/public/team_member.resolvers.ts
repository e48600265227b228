// default · public.team_member · resolvers
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
import { teamMemberAccess } from "./team_member.access.ts";

export const teamMemberResolvers = resolvers(teamMemberAccess, {
  query: {
    team_member: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(teamMemberAccess, requester, selection, args),
    },
    team_member_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(teamMemberAccess, requester, selection, args),
    },
    team_member_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(teamMemberAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_team_member: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(teamMemberAccess, requester, selection, args),
    },
    insert_team_member_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(teamMemberAccess, requester, selection, args),
    },
    update_team_member: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(teamMemberAccess, requester, selection, args),
    },
    update_team_member_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(teamMemberAccess, requester, selection, args),
    },
    update_team_member_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(teamMemberAccess, requester, selection, args),
    },
    delete_team_member: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(teamMemberAccess, requester, selection, args),
    },
    delete_team_member_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(teamMemberAccess, requester, selection, args),
    },
  },
});
