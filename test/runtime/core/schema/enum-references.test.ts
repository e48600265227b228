/** A column holds values of an enum table if its foreign key refers to that table's primary key, and only then. */
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../harness/postgres.ts';
import { send, startTestServer } from '../../../harness/server.ts';

test('only a foreign key to the primary key makes a column an enum', async () => {
  const database = await createTestDatabase(`
    create table kind (name text primary key, value text unique);
    insert into kind values ('one', 'first value'), ('two', 'second value');
    create table thing (
      id integer primary key, kind text references kind (value), named text references kind (name), plain text references kind
    );
    insert into thing values (1, 'first value', 'one', 'two');`);
  const server = await startTestServer(database);
  try {
    const args = [
      { type: 'pg_track_table', args: { table: 'kind' } },
      { type: 'pg_set_table_is_enum', args: { table: 'kind', is_enum: true } },
      { type: 'pg_track_table', args: { table: 'thing' } },
    ];
    expect((await send(server, '/v1/metadata', { body: { type: 'bulk', args } })).json).not.toHaveProperty(
      'error',
    );
    const query = `mutation { insert_thing_one(object: {id: 2, kind: "second value", named: two, plain: one}) { kind }
      update_thing(where: {kind: {_eq: "first value"}, named: {_eq: one}}, _set: {plain: one}) { returning { kind named plain } } }`;
    expect((await send(server, '/v1/graphql', { body: { query } })).json).toEqual({
      data: {
        insert_thing_one: { kind: 'second value' },
        update_thing: { returning: [{ kind: 'first value', named: 'one', plain: 'one' }] },
      },
    });
  } finally {
    await server.stop();
  }
});
