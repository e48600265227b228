// Everything that is saved: operations and how each runs, the allow-list, and the REST endpoints.
import type { SavedProgram } from "engine/contract";
import { routes } from "../rest/routes.ts";
import { allowlist } from "./allowlist.ts";
import { ticketWithConversationOperation } from "./help_center/ticket_with_conversation.ts";
import { recentTicketsOperation } from "./help_center/recent_tickets.ts";
import { findTicketsOperation } from "./help_center/find_tickets.ts";
import { openTicketOperation } from "./help_center/open_ticket.ts";
import { replyOperation } from "./help_center/reply.ts";
import { closeTicketOperation } from "./help_center/close_ticket.ts";
import { queueOperation } from "./service_desk/queue.ts";
import { takeOperation } from "./service_desk/take.ts";

export const saved: SavedProgram = {
  options: { stringifyNumbers: false, collapseNulls: false, inferFunctionPermissions: true },
  operations: [
    ticketWithConversationOperation, // query, static for admin, agent, customer, manager
    recentTicketsOperation, // query, static for admin, agent, customer, manager
    findTicketsOperation, // query, planned for each request: the value of $where decides about the SQL
    openTicketOperation, // mutation, static for admin, agent, customer
    replyOperation, // mutation, static for admin, agent, customer
    closeTicketOperation, // mutation, static for admin, agent, customer, manager
    queueOperation, // query, static for admin, agent, manager
    takeOperation, // mutation, static for admin, agent, manager
  ],
  allowlist,
  routes,
};
