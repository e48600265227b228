// The REST endpoints: method and URL below /api/rest/ → saved operation.
import { restRoutes } from "engine/contract";
import { queueOperation } from "../saved/service_desk/queue.ts";
import { recentTicketsOperation } from "../saved/help_center/recent_tickets.ts";
import { openTicketOperation } from "../saved/help_center/open_ticket.ts";
import { ticketWithConversationOperation } from "../saved/help_center/ticket_with_conversation.ts";
import { closeTicketOperation } from "../saved/help_center/close_ticket.ts";
import { replyOperation } from "../saved/help_center/reply.ts";
import { findTicketsOperation } from "../saved/help_center/find_tickets.ts";

export const routes = restRoutes([
  { methods: ["GET"], url: "teams/:team/queue", operation: queueOperation, name: "queue", comment: "Open tickets of a team, the oldest first" },
  { methods: ["GET"], url: "tickets", operation: recentTicketsOperation, name: "recent_tickets", comment: "The latest tickets that the caller may see" },
  { methods: ["POST"], url: "tickets", operation: openTicketOperation, name: "open_ticket", comment: "Opens a ticket with its first message" },
  { methods: ["GET"], url: "tickets/:id", operation: ticketWithConversationOperation, name: "ticket", comment: "A ticket with everything that was written about it" },
  { methods: ["DELETE"], url: "tickets/:id", operation: closeTicketOperation, name: "close_ticket", comment: "Closes a ticket; nothing is deleted" },
  { methods: ["POST"], url: "tickets/:ticket/messages", operation: replyOperation, name: "reply", comment: "Adds a message to a ticket" },
  { methods: ["POST"], url: "tickets/search", operation: findTicketsOperation, name: "find_tickets", comment: "Tickets by any condition, in the body" },
]);
