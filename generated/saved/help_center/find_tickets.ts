// help_center · find_tickets · saved operation
import { savedOperation } from "engine/contract";

export const findTicketsOperation = savedOperation({
  collection: "help_center",
  name: "find_tickets",
  kind: "query",
  variables: {
    where: { type: "ticket_bool_exp!", input: true },
  },
  document: `query find_tickets($where: ticket_bool_exp!) {
  ticket(where: $where, order_by: { created_at: desc }) {
    id
    subject
  }
}
`,
  template: "the value of $where decides about the SQL",
});
