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
  {
    collection: "help_center",
    name: "open_ticket",
    roles: ["customer", "agent"],
    document: `mutation open_ticket($subject: String!, $body: String!) {
  insert_ticket_one(
    object: {subject: $subject, messages: {data: [{body: $body}]}}
  ) {
    id
    status
    messages {
      body
      created_at
    }
  }
}`,
  },
  {
    collection: "help_center",
    name: "reply",
    roles: ["customer", "agent"],
    document: `mutation reply($ticket: Int!, $body: String!) {
  insert_message_one(object: {ticket_id: $ticket, body: $body}) {
    id
    created_at
  }
}`,
  },
  {
    collection: "help_center",
    name: "close_ticket",
    roles: ["customer", "agent"],
    document: `mutation close_ticket($id: Int!) {
  update_ticket_by_pk(pk_columns: {id: $id}, _set: {status: closed}) {
    id
    status
    messages(order_by: {created_at: desc}, limit: 1) {
      body
      created_at
    }
  }
}`,
  },
  {
    collection: "service_desk",
    name: "queue",
    roles: ["agent", "manager"],
    document: `query queue($team: Int!) {
  ticket(
    where: {status: {_eq: open}, team_id: {_eq: $team}}
    order_by: {created_at: asc}
    limit: 50
  ) {
    id
    subject
    priority
    customer {
      name
    }
    messages_aggregate {
      aggregate {
        count
      }
    }
  }
}`,
  },
  {
    collection: "service_desk",
    name: "take",
    roles: ["agent", "manager"],
    document: `mutation take($id: Int!, $agent: Int!) {
  update_ticket_by_pk(pk_columns: {id: $id}, _set: {assignee_id: $agent}) {
    id
    assignee_id
  }
}`,
  },
]);
