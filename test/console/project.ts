/** A small project with something on every page of the console, and markup in every kind of name that it shows. */
import { metadataOf } from '../harness/metadata.ts';

/** As a name it must stay text, on every page. */
export const HOSTILE = '<img src=x onerror=alert(1)>';

export const SCHEMA = `
  create table customer (id serial primary key, name text, email text, note text);
  create table invoice (id serial primary key, customer_id int references customer, total int);
  create table "${HOSTILE}" (id serial constraint hostile_pkey primary key, "${HOSTILE}" text);
  comment on table customer is '${HOSTILE}';
  comment on column customer.name is '${HOSTILE}';
  create function richest_customers() returns setof customer language sql stable as 'select * from customer';
  insert into customer (name, email) values ('Ada', 'ada@example.org'), ('Brook', 'brook@example.org');
  insert into invoice (customer_id, total) values (1, 10), (1, 20), (2, 5);`;

const allowed = (columns: readonly string[], filter: object = {}) => ({ columns, filter });

/** @param handler address of a webhook and of a remote schema; it may refuse every call */
export function metadata(handler: string) {
  return metadataOf(
    [
      {
        table: 'customer',
        array_relationships: [
          {
            name: 'invoices',
            using: { foreign_key_constraint_on: { table: 'invoice', column: 'customer_id' } },
          },
        ],
        select_permissions: [
          {
            role: 'manager',
            permission: { ...allowed(['id', 'name', 'email']), allow_aggregations: true, limit: 50 },
            comment: HOSTILE,
          },
          { role: 'clerk', permission: allowed(['id', 'name'], { id: { _eq: 'X-Engine-User-Id' } }) },
        ],
        insert_permissions: [
          {
            role: 'manager',
            permission: {
              columns: ['name', 'email'],
              check: { name: { _neq: HOSTILE } },
              set: { note: 'x-engine-user-id' },
            },
          },
        ],
        delete_permissions: [{ role: 'manager', permission: { filter: {} } }],
        event_triggers: [
          {
            name: 'customer_changed',
            definition: { enable_manual: false, insert: { columns: '*' } },
            retry_conf: { num_retries: 0, interval_sec: 10, timeout_sec: 60 },
            webhook: `${handler}/events?${encodeURIComponent(HOSTILE)}`,
          },
        ],
      },
      {
        table: 'invoice',
        object_relationships: [{ name: 'customer', using: { foreign_key_constraint_on: 'customer_id' } }],
        select_permissions: [{ role: 'clerk', permission: allowed(['id', 'total']) }],
        update_permissions: [
          { role: 'clerk', permission: { columns: ['total'], filter: { total: { _gt: 0 } } } },
        ],
      },
      {
        table: HOSTILE,
        configuration: { custom_name: 'hostile', column_config: { [HOSTILE]: { custom_name: 'markup' } } },
        select_permissions: [{ role: HOSTILE, permission: allowed(['id', HOSTILE]) }],
      },
      { table: 'gone' },
    ],
    {
      query_collections: [
        {
          name: HOSTILE,
          definition: {
            queries: [
              { name: HOSTILE, query: 'query customers { customer { name } }' },
              {
                name: 'invoices',
                query:
                  'query invoices($least: Int!) { invoice(where: {total: {_gte: $least}}) { id total } }',
              },
            ],
          },
        },
      ],
      rest_endpoints: [
        {
          name: 'invoices',
          url: 'invoices/:least',
          methods: ['GET'],
          comment: HOSTILE,
          definition: { query: { collection_name: HOSTILE, query_name: 'invoices' } },
        },
      ],
      remote_schemas: [
        { name: HOSTILE, definition: { url: `${handler}/graphql`, timeout_seconds: 1 }, permissions: [] },
      ],
      actions: [
        {
          name: 'greet',
          comment: HOSTILE,
          definition: { type: 'query', output_type: 'Greeting', handler },
          permissions: [{ role: 'clerk' }],
        },
      ],
      custom_types: { objects: [{ name: 'Greeting', fields: [{ name: 'text', type: 'String!' }] }] },
      cron_triggers: [
        {
          name: HOSTILE,
          webhook: `${handler}/cron`,
          schedule: '0 4 1 1 *',
          include_in_metadata: true,
          payload: {},
          comment: HOSTILE,
        },
      ],
    },
  );
}
