// default · public.ticket_tag · resolvers
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
import { ticketTagAccess } from "./ticket_tag.access.ts";

export const ticketTagResolvers = resolvers(ticketTagAccess, {
  query: {
    ticket_tag: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(ticketTagAccess, requester, selection, args),
    },
    ticket_tag_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(ticketTagAccess, requester, selection, args),
    },
    ticket_tag_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(ticketTagAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_ticket_tag: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(ticketTagAccess, requester, selection, args),
    },
    insert_ticket_tag_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(ticketTagAccess, requester, selection, args),
    },
    update_ticket_tag: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(ticketTagAccess, requester, selection, args),
    },
    update_ticket_tag_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(ticketTagAccess, requester, selection, args),
    },
    update_ticket_tag_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(ticketTagAccess, requester, selection, args),
    },
    delete_ticket_tag: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(ticketTagAccess, requester, selection, args),
    },
    delete_ticket_tag_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(ticketTagAccess, requester, selection, args),
    },
  },
});
