/** A small project with every kind of cell that the matrix has, and markup in names. */
import type { defaultSource } from '../harness/metadata.ts';

/** As a name it must stay text. */
export const HOSTILE = '<img src=x onerror=alert(1)>';

export const ROLES = ['clerk', 'manager', 'importer', 'nested', 'both', HOSTILE];

export const SCHEMA = `
  create table customer (id serial primary key, name text, email text, note text);
  create table invoice (id serial primary key, customer_id int references customer, total int);
  create table "${HOSTILE}" (id serial constraint hostile_pkey primary key, name text, "${HOSTILE}" text);
  create function full_name(customer) returns text language sql stable as 'select $1.name';
  create function payer(invoice) returns setof customer language sql stable as 'select * from customer where id = $1.customer_id';
  create function richest_customers() returns setof customer language sql stable as 'select * from customer';
  create function forget_customers() returns setof customer language sql volatile as 'select * from customer';
  insert into customer (name, email) values ('Ada', 'ada@example.org'), ('Brook', 'brook@example.org');
  insert into invoice (customer_id, total) values (1, 10), (1, 20), (2, 5);`;

const select = (role: string, columns: readonly string[], more: object = {}) => ({
  role,
  permission: { columns, filter: {}, ...more },
});

/** @param countries address of a remote schema @param handler address of an action's handler */
export function matrixMetadata(source: typeof defaultSource, countries: string, handler: string) {
  const tables = [
    {
      table: 'customer',
      computed_fields: [{ name: 'full_name', definition: { function: 'full_name' } }],
      array_relationships: [
        {
          name: 'invoices',
          using: { foreign_key_constraint_on: { table: 'invoice', column: 'customer_id' } },
        },
      ],
      select_permissions: [
        select('manager', ['id', 'name', 'email'], {
          allow_aggregations: true,
          limit: 50,
          computed_fields: ['full_name'],
        }),
        select('clerk', ['id', 'name'], { filter: { id: { _eq: 'X-Engine-User-Id' } } }),
        select('nested', ['id', 'name'], { query_root_fields: [], subscription_root_fields: [] }),
      ],
      insert_permissions: [
        {
          role: 'manager',
          permission: { columns: ['name', 'email'], check: {}, set: { note: 'X-Engine-User-Id' } },
        },
        {
          role: 'importer',
          permission: { columns: ['name'], check: { name: { _neq: HOSTILE } }, backend_only: true },
        },
      ],
      delete_permissions: [{ role: 'manager', permission: { filter: { name: { _neq: HOSTILE } } } }],
    },
    {
      table: 'invoice',
      computed_fields: [{ name: 'payer', definition: { function: 'payer' } }],
      object_relationships: [{ name: 'customer', using: { foreign_key_constraint_on: 'customer_id' } }],
      select_permissions: [select('clerk', ['id', 'total']), select('nested', ['id'])],
      update_permissions: [
        { role: 'clerk', permission: { columns: ['total'], filter: { total: { _gt: 0 } } } },
      ],
    },
    {
      table: HOSTILE,
      configuration: { custom_name: 'hostile', column_config: { [HOSTILE]: { custom_name: 'markup' } } },
      select_permissions: [select(HOSTILE, ['id', HOSTILE])],
      update_permissions: [{ role: HOSTILE, permission: { columns: ['name'], filter: {} } }],
    },
  ];
  const functions = [
    { function: 'richest_customers' },
    {
      function: 'forget_customers',
      configuration: { exposed_as: 'mutation' },
      permissions: [{ role: 'manager' }],
    },
  ];
  return {
    version: 3,
    sources: [source({ tables, functions })],
    inherited_roles: [{ role_name: 'both', role_set: ['clerk', 'manager'] }],
    actions: [
      {
        name: 'greet',
        definition: { type: 'query', output_type: 'Greeting', handler },
        permissions: [{ role: 'clerk' }],
      },
    ],
    custom_types: {
      objects: [
        {
          name: 'Greeting',
          fields: [
            { name: 'text', type: 'String!' },
            { name: 'customer_id', type: 'Int!' },
          ],
          relationships: [
            {
              name: 'greeted',
              type: 'object',
              remote_table: 'customer',
              field_mapping: { customer_id: 'id' },
            },
          ],
        },
      ],
    },
    remote_schemas: [
      {
        name: 'countries',
        definition: { url: countries },
        permissions: [
          {
            role: 'clerk',
            definition: {
              schema:
                'schema { query: Query } type Query { capital: String city: City } type City { mayor_id: Int }',
            },
          },
        ],
        remote_relationships: [
          {
            type_name: 'City',
            relationships: [
              {
                name: 'mayor',
                definition: {
                  to_source: {
                    source: 'default',
                    table: 'customer',
                    relationship_type: 'object',
                    field_mapping: { mayor_id: 'id' },
                  },
                },
              },
            ],
          },
        ],
      },
    ],
  };
}
