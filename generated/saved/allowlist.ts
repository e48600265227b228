// The documents that roles other than admin may send, when the allow-list is enabled. White space and __typename do not count.
import { allowedDocuments } from "engine/contract";

export const allowlist = allowedDocuments([
  {
    collection: "help_center",
    name: "ticket_with_conversation",
    roles: ["customer", "agent"],
    document: `query ticket_with_conversation($id: Int!) {
  ticket_by_pk(id: $id) {
    id
    subject
    status
    created_at
    messages(order_by: {created_at: asc}) {
      body
      created_at
      author_agent {
        name
      }
    }
  }
}`,
  },
  {
    collection: "help_center",
    name: "recent_tickets",
    roles: ["customer", "agent"],
    document: `query recent_tickets($limit: Int = 20) {
  ticket(order_by: {created_at: desc}, limit: $limit) {
    id
    subject
    status
  }
}`,
  },
  {
    collection: "help_center",
    name: "find_tickets",
    roles: ["customer", "agent"],
    document: `query find_tickets($where: ticket_bool_exp!) {
  ticket(where: $where, order_by: {created_at: desc}) {
    id
    subject
  }
}`,
  },
]);
