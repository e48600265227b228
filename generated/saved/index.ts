// Everything that is saved: operations, the allow-list, and the REST endpoints.
import type { SavedProgram } from "engine/contract";
import { routes } from "../rest/routes.ts";
import { allowlist } from "./allowlist.ts";
import { ticketWithConversationOperation } from "./help_center/ticket_with_conversation.ts";
import { recentTicketsOperation } from "./help_center/recent_tickets.ts";
import { findTicketsOperation } from "./help_center/find_tickets.ts";

export const saved: SavedProgram = {
  options: { stringifyNumbers: false, collapseNulls: false, inferFunctionPermissions: true },
  operations: [
    ticketWithConversationOperation,
    recentTicketsOperation,
    findTicketsOperation,
  ],
  allowlist,
  routes,
};
