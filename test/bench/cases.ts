/** The questions that are measured: of chinook where the shared projects are there, of the example otherwise. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECTS } from '../harness/public-cases.ts';

/** One request of a case; the role is among its headers. */
export interface CaseRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface BenchCase {
  readonly name: string;
  readonly query: string;
  /** Sent in turn. */
  readonly requests: readonly CaseRequest[];
  /**
   * How far answers must be equal: to the byte of their JSON unless given; `sorted`, where the operation leaves the order
   * of a list open; `shape`, where it leaves open which rows it wants (a limit without an order).
   */
  readonly equality?: 'sorted' | 'shape';
  /** Asked as a REST endpoint with this URL instead: its variables are the segments that begin with a colon. */
  readonly endpoint?: string;
}

/** Cases as REST endpoints: by key, and nested. */
export function restCases(cases: readonly BenchCase[]): BenchCase[] {
  return cases
    .filter(({ name }) => name === 'by key' || name === 'three levels')
    .map((bench) => {
      const variables = Object.keys(bench.requests[0]!.variables).map((name) => `:${name}`);
      return { ...bench, endpoint: [bench.name.replaceAll(' ', '-'), ...variables].join('/') };
    });
}

const CHINOOK = join(PROJECTS, 'chinook');

const admin = { 'x-engine-role': 'admin' };

function employee(id: number): Readonly<Record<string, string>> {
  return { 'x-engine-role': 'employee', 'x-engine-user-id': String(id) };
}

/** Employees who look after customers. */
const employees = [3, 4, 5].map((id) => ({ headers: employee(id), variables: {} }));

function numbers(
  name: string,
  values: readonly number[],
  headers: Readonly<Record<string, string>>,
): CaseRequest[] {
  return values.map((value) => ({ headers, variables: { [name]: value } }));
}

function range(first: number, last: number, step: number): number[] {
  const values: number[] = [];
  for (let value = first; value <= last; value += step) values.push(value);
  return values;
}

/** By key, lists, levels, aggregates and rules; then the operations that the project's own clients send. */
export function chinookCases(): BenchCase[] {
  return [
    {
      name: 'by key',
      query:
        'query ($id: Int!) { Track_by_pk(TrackId: $id) { TrackId Name Composer Milliseconds UnitPrice } }',
      requests: numbers('id', range(1, 3500, 50), employee(4)),
    },
    {
      name: 'list',
      query: `query ($album: Int!) {
        Track(where: {AlbumId: {_eq: $album}}, order_by: {TrackId: asc}) { TrackId Name Composer Milliseconds UnitPrice }
      }`,
      requests: numbers('album', range(1, 340, 10), employee(4)),
    },
    {
      name: 'two levels',
      query: `query ($offset: Int!) {
        Album(order_by: {AlbumId: asc}, limit: 10, offset: $offset) {
          Title
          Artist { Name }
          Tracks(order_by: {TrackId: asc}) { Name Milliseconds }
        }
      }`,
      requests: numbers('offset', range(0, 300, 10), employee(4)),
    },
    {
      name: 'three levels',
      query: `query ($artist: Int!) {
        Artist_by_pk(ArtistId: $artist) {
          Name
          Albums(order_by: {Title: asc}) {
            Title
            Tracks(order_by: {TrackId: asc}) { Name Genre { Name } MediaType { Name } }
          }
        }
      }`,
      requests: numbers('artist', [1, 2, 8, 22, 50, 58, 90, 100, 127, 149], employee(4)),
    },
    {
      name: 'aggregate',
      query: `query ($customer: Int!) {
        Invoice_aggregate(where: {CustomerId: {_eq: $customer}}) {
          aggregate { count sum { Total } avg { Total } max { InvoiceDate Total } }
          nodes { InvoiceId Total }
        }
      }`,
      requests: numbers('customer', range(1, 59, 2), admin),
    },
    {
      name: 'row rule',
      query: '{ Customer(order_by: {CustomerId: asc}) { CustomerId FirstName LastName Email City } }',
      requests: employees,
    },
    {
      name: 'rules on three levels',
      query: `query ($country: String!) {
        Customer(where: {Country: {_eq: $country}}, order_by: {CustomerId: asc}) {
          LastName
          Invoices(order_by: {InvoiceId: asc}, limit: 5) {
            InvoiceDate
            Total
            InvoiceLines(order_by: {InvoiceLineId: asc}) { Quantity Track { Name } }
          }
        }
      }`,
      requests: employees.flatMap(({ headers }) =>
        ['Canada', 'France', 'Brazil'].map((country) => ({ headers, variables: { country } })),
      ),
    },
    ...chinookOperations(),
  ];
}

function chinookOperations(): BenchCase[] {
  const folder = `${CHINOOK}/queries`;
  return readdirSync(folder)
    .filter((file) => file.endsWith('.graphql'))
    .sort()
    .map((file) => {
      const variables = readIfThere(`${folder}/${file.replace('.graphql', '.variables.json')}`) ?? '{}';
      return {
        name: file.replace('.graphql', '').replaceAll('_', ' '),
        query: readFileSync(`${folder}/${file}`, 'utf8'),
        requests: [{ headers: employee(4), variables: JSON.parse(variables) as Record<string, unknown> }],
        equality: variables.includes('track_lim') ? 'shape' : 'sorted',
      };
    });
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

const agent = { 'x-engine-role': 'agent', 'x-engine-user-id': '2', 'x-engine-tenant-id': '1' };
const manager = { 'x-engine-role': 'manager', 'x-engine-tenant-id': '1' };

/** The same kinds of questions to the help desk of examples/. */
export function helpdeskCases(): BenchCase[] {
  return [
    {
      name: 'by key',
      query: 'query ($id: Int!) { ticket_by_pk(id: $id) { id subject status priority created_at } }',
      requests: numbers('id', range(1, 50, 1), admin),
    },
    {
      name: 'list',
      query: `query ($customer: Int!) {
        ticket(where: {customer_id: {_eq: $customer}}, order_by: {id: asc}) { id subject status priority created_at }
      }`,
      requests: numbers('customer', range(1, 30, 1), admin),
    },
    {
      name: 'two levels',
      query: `query ($offset: Int!) {
        ticket(order_by: {id: asc}, limit: 10, offset: $offset) {
          subject
          customer { name }
          messages(order_by: {id: asc}) { body created_at }
        }
      }`,
      requests: numbers('offset', range(0, 100, 10), admin),
    },
    {
      name: 'three levels',
      query: `query ($tenant: Int!) {
        tenant_by_pk(id: $tenant) {
          name
          teams(order_by: {id: asc}) {
            name
            tickets(order_by: {id: asc}, limit: 10) { subject customer { name } assignee { name } }
          }
        }
      }`,
      requests: numbers('tenant', [1, 2, 3], admin),
    },
    {
      name: 'aggregate',
      query: `query ($customer: Int!) {
        ticket_aggregate(where: {customer_id: {_eq: $customer}}) {
          aggregate { count max { created_at } min { created_at } }
        }
      }`,
      requests: numbers('customer', range(1, 20, 1), manager),
    },
    {
      name: 'row rule',
      query: '{ ticket(order_by: {id: asc}, limit: 20) { id subject status priority created_at } }',
      requests: [{ headers: agent, variables: {} }],
    },
    {
      name: 'rules on two levels',
      query: `{
        ticket(order_by: {id: asc}, limit: 10) { subject customer { name } messages(order_by: {id: asc}) { body } }
      }`,
      requests: [{ headers: agent, variables: {} }],
    },
  ];
}
