// default · public.agent · resolvers
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
import { agentAccess } from "./agent.access.ts";

export const agentResolvers = resolvers(agentAccess, {
  query: {
    agent: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(agentAccess, requester, selection, args),
    },
    agent_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(agentAccess, requester, selection, args),
    },
    agent_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(agentAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_agent: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(agentAccess, requester, selection, args),
    },
    insert_agent_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(agentAccess, requester, selection, args),
    },
    update_agent: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(agentAccess, requester, selection, args),
    },
    update_agent_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(agentAccess, requester, selection, args),
    },
    update_agent_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(agentAccess, requester, selection, args),
    },
    delete_agent: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(agentAccess, requester, selection, args),
    },
    delete_agent_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(agentAccess, requester, selection, args),
    },
  },
});
