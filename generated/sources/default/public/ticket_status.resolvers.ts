// default · public.ticket_status · resolvers
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
import { ticketStatusAccess } from "./ticket_status.access.ts";

export const ticketStatusResolvers = resolvers(ticketStatusAccess, {
  query: {
    ticket_status: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(ticketStatusAccess, requester, selection, args),
    },
    ticket_status_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(ticketStatusAccess, requester, selection, args),
    },
    ticket_status_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(ticketStatusAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_ticket_status: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(ticketStatusAccess, requester, selection, args),
    },
    insert_ticket_status_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(ticketStatusAccess, requester, selection, args),
    },
    update_ticket_status: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(ticketStatusAccess, requester, selection, args),
    },
    update_ticket_status_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(ticketStatusAccess, requester, selection, args),
    },
    update_ticket_status_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(ticketStatusAccess, requester, selection, args),
    },
    delete_ticket_status: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(ticketStatusAccess, requester, selection, args),
    },
    delete_ticket_status_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(ticketStatusAccess, requester, selection, args),
    },
  },
});
