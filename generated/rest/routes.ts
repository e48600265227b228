// The REST endpoints: method and URL below /api/rest/ → saved operation.
import { restRoutes } from "engine/contract";
import { recentTicketsOperation } from "../saved/help_center/recent_tickets.ts";
import { ticketWithConversationOperation } from "../saved/help_center/ticket_with_conversation.ts";

export const routes = restRoutes([
  { methods: ["GET"], url: "tickets", operation: recentTicketsOperation, name: "recent_tickets", comment: "The latest tickets that the caller may see" },
  { methods: ["GET"], url: "tickets/:id", operation: ticketWithConversationOperation, name: "ticket", comment: "A ticket with everything that was written about it" },
]);
