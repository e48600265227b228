// default · public.ticket_priority · resolvers
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
import { ticketPriorityAccess } from "./ticket_priority.access.ts";

export const ticketPriorityResolvers = resolvers(ticketPriorityAccess, {
  query: {
    ticket_priority: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(ticketPriorityAccess, requester, selection, args),
    },
    ticket_priority_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(ticketPriorityAccess, requester, selection, args),
    },
    ticket_priority_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(ticketPriorityAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_ticket_priority: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(ticketPriorityAccess, requester, selection, args),
    },
    insert_ticket_priority_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(ticketPriorityAccess, requester, selection, args),
    },
    update_ticket_priority: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(ticketPriorityAccess, requester, selection, args),
    },
    update_ticket_priority_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(ticketPriorityAccess, requester, selection, args),
    },
    update_ticket_priority_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(ticketPriorityAccess, requester, selection, args),
    },
    delete_ticket_priority: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(ticketPriorityAccess, requester, selection, args),
    },
    delete_ticket_priority_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(ticketPriorityAccess, requester, selection, args),
    },
  },
});
