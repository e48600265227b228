// The operations that roles other than admin may send, when the allow-list is enabled. White space and __typename do not count.
import { allowedDocuments } from "engine/contract";

export const allowlist = allowedDocuments([
  { collection: "help_center", name: "ticket_with_conversation", roles: ["customer", "agent"] },
  { collection: "help_center", name: "recent_tickets", roles: ["customer", "agent"] },
  { collection: "help_center", name: "find_tickets", roles: ["customer", "agent"] },
  { collection: "help_center", name: "open_ticket", roles: ["customer", "agent"] },
  { collection: "help_center", name: "reply", roles: ["customer", "agent"] },
  { collection: "help_center", name: "close_ticket", roles: ["customer", "agent"] },
  { collection: "service_desk", name: "queue", roles: ["agent", "manager"] },
  { collection: "service_desk", name: "take", roles: ["agent", "manager"] },
]);
