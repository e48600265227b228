// default · public.ticket_status · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const ticketStatus = table(source, {
  schema: "public",
  name: "ticket_status",
  kind: "table",
  graphqlName: "ticket_status",
  description: "The stations of a ticket",
  columns: {
    value: { type: "text", notNull: true },
    comment: { type: "text", notNull: true },
  },
  primaryKey: { name: "ticket_status_pkey", columns: ["value"] },
  enumValues: {
    closed: "Done for good",
    open: "Waits for an agent",
    pending: "Waits for the customer",
    solved: "Answered; the customer may reopen it",
  },
}, {
  query: {
    ticket_status: "select",
    ticket_status_by_pk: "select_by_pk",
    ticket_status_aggregate: "select_aggregate",
  },
  subscription: { ticket_status_stream: "select_stream" },
  mutation: {
    insert_ticket_status: "insert",
    insert_ticket_status_one: "insert_one",
    update_ticket_status: "update",
    update_ticket_status_by_pk: "update_by_pk",
    update_ticket_status_many: "update_many",
    delete_ticket_status: "delete",
    delete_ticket_status_by_pk: "delete_by_pk",
  },
});

export type TicketStatus = Row<typeof ticketStatus>;
export type TicketStatusWhere = Where<typeof ticketStatus>;
