/** A shop with something of everything that the data page shows: keys, views, masks, relationships, nulls, many rows. */
import { metadataOf } from '../harness/metadata.ts';
import { HOSTILE } from './project.ts';

/** Rows of `ticket`: three pages. */
export const TICKETS = 1100;

export const SCHEMA = `
  create type mood as enum ('calm', 'cross');
  create table customer (id serial primary key, name text not null, email text, mood mood, tags text[], details jsonb, credit numeric);
  create table ticket (id bigserial primary key, customer_id int references customer, title text not null, priority int, is_open boolean not null default true, opened timestamptz default '2026-01-01');
  create table stock (shop text, item text, amount int not null, primary key (shop, item));
  create view open_tickets as select id, title, priority from ticket where is_open;
  create table "${HOSTILE}" (id int primary key, note text);
  insert into customer (name, email, mood, tags, details, credit) values
    ('Ada', 'ada@example.org', 'calm', '{one,two}', '{"since": 1999}', 12345678901234567890.123),
    ('Brook', null, 'cross', null, null, 1),
    ('Cleo', 'cleo@example.org', null, '{}', '[1, 2]', null);
  insert into ticket (customer_id, title, priority, is_open)
    select 1 + n % 3, 'Ticket ' || n, case when n % 7 = 0 then null else n % 5 end, n % 2 = 0 from generate_series(1, ${TICKETS}) n;
  insert into stock select 'shop ' || s, 'item ' || i, s * i from generate_series(1, 30) s, generate_series(1, 25) i;
  insert into "${HOSTILE}" values (1, '${HOSTILE}');`;

const OWN = { customer_id: { _eq: 'X-Engine-User-Id' } };
const TICKET = ['id', 'customer_id', 'title', 'priority', 'is_open'];

export function metadata() {
  const every = { filter: {}, allow_aggregations: true };
  return metadataOf(
    [
      {
        table: 'customer',
        array_relationships: [
          {
            name: 'tickets',
            using: { foreign_key_constraint_on: { table: 'ticket', column: 'customer_id' } },
          },
        ],
        select_permissions: [
          { role: 'names', permission: { columns: ['id', 'name'], ...every } },
          // Together with "names" it shows addresses of some rows only.
          {
            role: 'own',
            permission: {
              columns: ['id', 'name', 'email', 'credit'],
              filter: { id: { _eq: 'X-Engine-User-Id' } },
            },
          },
        ],
        update_permissions: [
          {
            role: 'own',
            permission: { columns: ['name', 'email', 'credit'], filter: { id: { _eq: 'X-Engine-User-Id' } } },
          },
        ],
      },
      {
        table: 'ticket',
        object_relationships: [{ name: 'customer', using: { foreign_key_constraint_on: 'customer_id' } }],
        select_permissions: [
          { role: 'names', permission: { columns: TICKET, ...every } },
          { role: 'limited', permission: { columns: ['id', 'title'], filter: {}, limit: 250 } },
          { role: 'keyless', permission: { columns: ['title', 'priority'], filter: {} } },
        ],
        insert_permissions: [
          {
            role: 'names',
            permission: {
              columns: ['title', 'priority', 'is_open'],
              check: { priority: { _lt: 10 } },
              set: { customer_id: 'x-engine-user-id' },
            },
          },
        ],
        update_permissions: [
          {
            role: 'names',
            permission: {
              columns: ['title', 'priority', 'is_open'],
              filter: OWN,
              check: { priority: { _lt: 10 } },
            },
          },
        ],
        delete_permissions: [{ role: 'names', permission: { filter: OWN } }],
      },
      {
        table: 'stock',
        select_permissions: [
          { role: 'names', permission: { columns: ['shop', 'item', 'amount'], filter: {} } },
        ],
      },
      {
        table: 'open_tickets',
        select_permissions: [
          { role: 'names', permission: { columns: ['id', 'title', 'priority'], filter: {} } },
        ],
      },
      {
        table: HOSTILE,
        configuration: { custom_name: 'hostile' },
        select_permissions: [{ role: 'names', permission: { columns: ['id', 'note'], filter: {} } }],
      },
    ],
    { inherited_roles: [{ role_name: 'member', role_set: ['names', 'own'] }] },
  );
}
