// default · public.ticket_event · resolvers
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
import { ticketEventAccess } from "./ticket_event.access.ts";

export const ticketEventResolvers = resolvers(ticketEventAccess, {
  query: {
    ticket_event: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(ticketEventAccess, requester, selection, args),
    },
    ticket_event_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(ticketEventAccess, requester, selection, args),
    },
    ticket_event_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(ticketEventAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_ticket_event: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(ticketEventAccess, requester, selection, args),
    },
    insert_ticket_event_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(ticketEventAccess, requester, selection, args),
    },
    update_ticket_event: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(ticketEventAccess, requester, selection, args),
    },
    update_ticket_event_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(ticketEventAccess, requester, selection, args),
    },
    update_ticket_event_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(ticketEventAccess, requester, selection, args),
    },
    delete_ticket_event: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(ticketEventAccess, requester, selection, args),
    },
    delete_ticket_event_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(ticketEventAccess, requester, selection, args),
    },
  },
});
