// default · public.ticket · resolvers
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
import { ticketAccess } from "./ticket.access.ts";

export const ticketResolvers = resolvers(ticketAccess, {
  query: {
    ticket: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(ticketAccess, requester, selection, args),
    },
    ticket_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(ticketAccess, requester, selection, args),
    },
    ticket_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(ticketAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_ticket: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(ticketAccess, requester, selection, args),
    },
    insert_ticket_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(ticketAccess, requester, selection, args),
    },
    update_ticket: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(ticketAccess, requester, selection, args),
    },
    update_ticket_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(ticketAccess, requester, selection, args),
    },
    update_ticket_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(ticketAccess, requester, selection, args),
    },
    delete_ticket: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(ticketAccess, requester, selection, args),
    },
    delete_ticket_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(ticketAccess, requester, selection, args),
    },
  },
});
