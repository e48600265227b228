/** The writes that are measured, on the help desk of examples/: by roles with presets and checks, as clients send them. */
import type { BenchCase } from './cases.ts';

export interface WriteCase extends BenchCase {
  /** Root field whose JSON the last statement of the file below floor/ yields. */
  readonly field: string;
}

const agent = { 'x-engine-role': 'agent', 'x-engine-user-id': '2', 'x-engine-tenant-id': '1' };
const manager = { 'x-engine-role': 'manager', 'x-engine-tenant-id': '1' };
/** Customers of tenant 1. */
const customers = Array.from({ length: 24 }, (_, index) => index + 1);

/** `ids`: tickets of tenant 1. Answers have no ids of new rows: their length is what the load generator checks. */
export function writeCases(ids: readonly number[]): WriteCase[] {
  return [
    {
      name: 'insert one',
      field: 'insert_ticket_one',
      query: `mutation ($subject: String!, $customer: Int!) {
        insert_ticket_one(object: {subject: $subject, customer_id: $customer}) { subject status channel }
      }`,
      requests: customers.map((customer) => ({
        headers: agent,
        variables: { subject: `The parcel for customer ${customer} has not come`, customer },
      })),
    },
    {
      name: '100 rows',
      field: 'insert_ticket',
      query:
        'mutation ($objects: [ticket_insert_input!]!) { insert_ticket(objects: $objects) { affected_rows } }',
      requests: customers.map((customer) => ({
        headers: agent,
        variables: {
          objects: Array.from({ length: 100 }, (_, index) => ({
            subject: `Question ${index} of customer ${customer}`,
            customer_id: customer,
            priority: index % 7 === 0 ? 'high' : 'normal',
          })),
        },
      })),
    },
    {
      name: 'update by key',
      field: 'update_ticket_by_pk',
      query: `mutation ($id: Int!, $subject: String!) {
        update_ticket_by_pk(pk_columns: {id: $id}, _set: {subject: $subject}) { id subject status }
      }`,
      requests: ids.map((id) => ({ headers: manager, variables: { id, subject: `Ticket ${id}, renamed` } })),
    },
    {
      name: 'nested insert',
      field: 'insert_ticket_one',
      query: `mutation ($subject: String!, $customer: Int!, $first: String!, $second: String!) {
        insert_ticket_one(object: {
          subject: $subject, customer_id: $customer, messages: {data: [{body: $first}, {body: $second}]}
        }) { subject messages(order_by: {id: asc}) { body } }
      }`,
      requests: customers.map((customer) => ({
        headers: agent,
        variables: {
          subject: `A call of customer ${customer}`,
          customer,
          first: 'The customer says that the parcel has not come.',
          second: 'Sent an inquiry to the carrier.',
        },
      })),
    },
  ];
}
