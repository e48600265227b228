/** Who one can be in the example: offered by the GraphiQL page, and the queries that the first start suggests. */
import type { GraphiqlRole } from '../../runtime/http/graphiql.ts';

export const customer: GraphiqlRole = {
  name: 'customer',
  description: "Amara O'Brien, customer of Alpenglow: own tickets, no notes",
  headers: { 'x-engine-role': 'customer', 'x-engine-user-id': '7', 'x-engine-tenant-id': '1' },
  query: `# My tickets, and what I was answered.
{
  ticket(order_by: { created_at: desc }) {
    subject
    status
    messages(order_by: { created_at: asc }) {
      body
      author_agent {
        name
      }
    }
  }
}
`,
};

export const agent: GraphiqlRole = {
  name: 'agent',
  description: 'Jonas Weber of Alpenglow: tickets of the team "Orders"',
  headers: {
    'x-engine-role': 'agent',
    'x-engine-user-id': '2',
    'x-engine-tenant-id': '1',
    'x-engine-team-ids': '{1}',
  },
  query: `# What waits for my team, and what colleagues noted.
{
  ticket_aggregate(where: { status: { _eq: open } }) {
    aggregate {
      count
    }
  }
  ticket(where: { status: { _eq: open } }, order_by: { created_at: asc }, limit: 5) {
    subject
    priority
    customer {
      name
      internal_notes
    }
    messages(where: { is_internal: { _eq: true } }) {
      body
    }
  }
}
`,
};

/** As the agent: a condition on one side of a relationship, the view on the other. */
export const agentWorkload: GraphiqlRole = {
  ...agent,
  query: `# The desk of my teams, and the articles that helped least.
{
  team_workload {
    team_name
    open_tickets
    urgent_tickets
  }
  article(where: { feedback: { is_helpful: { _eq: false } } }) {
    title
    feedback_aggregate(where: { is_helpful: { _eq: false } }) {
      aggregate {
        count
      }
    }
  }
}
`,
};

const manager: GraphiqlRole = {
  name: 'manager',
  description: 'The manager of Brightline: the whole tenant, costs included',
  headers: { 'x-engine-role': 'manager', 'x-engine-tenant-id': '2' },
  query: `# How content customers are, agent by agent.
{
  agent(order_by: { name: asc }) {
    name
    hourly_cost
    assigned_tickets_aggregate {
      aggregate {
        count
      }
    }
    assigned_tickets(where: { rating: { score: { _lte: 2 } } }) {
      subject
      rating {
        score
        comment
      }
    }
  }
}
`,
};

const visitor: GraphiqlRole = {
  name: 'public',
  description: 'Nobody in particular: published articles',
  headers: { 'x-engine-role': 'public' },
  query: `# What anybody may read.
{
  article(order_by: { published_at: desc }) {
    title
    body
    category {
      name
    }
    tenant {
      name
    }
  }
}
`,
};

const admin: GraphiqlRole = {
  name: 'admin',
  description: 'Everything that is tracked',
  headers: { 'x-engine-role': 'admin' },
  query: `{
  tenant {
    name
    plan
    teams {
      name
      workload {
        open_tickets
      }
    }
  }
}
`,
};

export const roles: readonly GraphiqlRole[] = [customer, agent, manager, visitor, admin];

/** As the customer: a write that an event trigger reports. */
export const rating: GraphiqlRole = {
  ...customer,
  query: `mutation {
  insert_article_feedback_one(
    object: { article_id: 1, is_helpful: true }
    on_conflict: { constraint: article_feedback_article_id_customer_id_key, update_columns: [is_helpful] }
  ) {
    is_helpful
  }
}
`,
};
