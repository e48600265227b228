/** What statements of a mutation keep for those after them. */
import { describe, expect, test } from 'vitest';
import { failedForNoRow } from '../../../../runtime/core/mutation/kept.ts';
import { serveInProcess } from '../../../harness/in-process.ts';
import { metadataOf } from '../../../harness/metadata.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';

const foreignKey = (name: string, table: string, column: string) => ({
  name,
  using: { foreign_key_constraint_on: { table, column } },
});

async function serve(schema: string, tables: readonly object[], version?: 13) {
  const database = await createTestDatabase(schema, version);
  const served = await serveInProcess(database.url, metadataOf(tables) as never);
  const answer = async (query: string, variables: Record<string, unknown> = {}) => {
    const text = await served.answer({ query, variables }, 'admin');
    return (JSON.parse(text) as { data: Record<string, unknown> }).data;
  };
  return { answer, database, end: served.end };
}

test('rows of a table with columns of the names that statements use', async () => {
  const { answer, end } = await serve(
    `create table entry (written int primary key, "given" int, "each" int);
     create table line (id int primary key, entry int references entry)`,
    [{ table: 'entry', array_relationships: [foreignKey('lines', 'line', 'entry')] }, { table: 'line' }],
  );
  const lines = (ids: number[]) => ({ data: ids.map((id) => ({ id })) });
  const returning = 'affected_rows returning { written given lines { id } }';
  expect(
    await answer(
      `mutation ($objects: [entry_insert_input!]!) {
        insert_entry(objects: $objects) { ${returning} }
        update_entry(where: {}, _set: {given: 3}) { ${returning} }
      }`,
      {
        objects: [
          { written: 1, given: 2, lines: lines([1, 2]) },
          { written: 2, each: 2, lines: lines([3]) },
        ],
      },
    ),
  ).toEqual({
    insert_entry: {
      affected_rows: 5,
      returning: [
        { written: 1, given: 2, lines: [{ id: 1 }, { id: 2 }] },
        { written: 2, given: null, lines: [{ id: 3 }] },
      ],
    },
    update_entry: {
      affected_rows: 2,
      returning: [
        { written: 1, given: 3, lines: [{ id: 1 }, { id: 2 }] },
        { written: 2, given: 3, lines: [{ id: 3 }] },
      ],
    },
  });
  await end();
});

test.each([
  'invalid input syntax for type boolean: "no row was written"',
  'ungültige Eingabesyntax für Typ boolean: »no row was written«',
  'syntaxe en entrée invalide pour le type boolean : « no row was written »',
])('a missing row is found in the words of a server of any language: %s', (message) => {
  expect(failedForNoRow(message)).toBe(true);
});

/** So many that their rows and keys are kept in parts. */
describe('many rows', () => {
  const count = 250;
  const numbers = Array.from({ length: count }, (_, n) => n);
  const books = () =>
    serve(
      `create table book (id serial primary key, title text unique);
       create table page (id serial primary key, book int not null references book, number int default 7)`,
      [
        { table: 'book', array_relationships: [foreignKey('pages', 'page', 'book')] },
        {
          table: 'page',
          object_relationships: [{ name: 'of', using: { foreign_key_constraint_on: 'book' } }],
        },
      ],
    );

  test.each([
    ['a level at a time', ''],
    ['one by one', ', on_conflict: {constraint: book_title_key, update_columns: []}'],
  ])('come back in order with what hangs on them: %s', async (_, conflict) => {
    const { answer, end } = await books();
    // Some pages leave their number to the default.
    const objects = numbers.map((n) => ({
      title: `book ${n}`,
      pages: { data: [n % 2 === 0 ? { number: n } : {}, { number: -n }] },
    }));
    const returning = `returning { title pages(order_by: {id: asc}) { number } }`;
    const query = `mutation ($objects: [book_insert_input!]!) { insert_book(objects: $objects${conflict}) { affected_rows ${returning} } }`;
    expect(await answer(query, { objects })).toEqual({
      insert_book: {
        affected_rows: count * 3,
        returning: numbers.map((n) => ({
          title: `book ${n}`,
          pages: [{ number: n % 2 === 0 ? n : 7 }, { number: n === 0 ? 0 : -n }],
        })),
      },
    });
    await end();
  });

  test('refer to others', async () => {
    const { answer, end } = await books();
    const objects = numbers.map((n) => ({
      ...(n % 2 === 0 && { number: n }),
      of: { data: { title: `book ${n}` } },
    }));
    const query =
      'mutation ($objects: [page_insert_input!]!) { insert_page(objects: $objects) { returning { number of { title } } } }';
    expect(await answer(query, { objects })).toEqual({
      insert_page: {
        returning: numbers.map((n) => ({ number: n % 2 === 0 ? n : 7, of: { title: `book ${n}` } })),
      },
    });
    await end();
  });

  test('are skipped for a conflict, whole parts of them', async () => {
    const { answer, database, end } = await books();
    await database.query(
      `insert into book (title) select 'book ' || n from generate_series(0, 220) n where n <> 3`,
    );
    const objects = numbers.map((n) => ({
      title: `book ${n}`,
      ...((n === 3 || n > 240) && { pages: { data: [{}] } }),
    }));
    const query = `mutation ($objects: [book_insert_input!]!) {
      insert_book(objects: $objects, on_conflict: {constraint: book_title_key, update_columns: []}) { returning { title pages { number } } }
    }`;
    expect(await answer(query, { objects })).toEqual({
      insert_book: {
        returning: numbers
          .filter((n) => n === 3 || n > 220)
          .map((n) => ({ title: `book ${n}`, pages: n === 3 || n > 240 ? [{ number: 7 }] : [] })),
      },
    });
    await end();
  });
});

test('nothing is kept that nobody asks for', async () => {
  const { answer, end } = await serve('create table node (id int primary key, parent int references node)', [
    { table: 'node', array_relationships: [foreignKey('children', 'node', 'parent')] },
  ]);
  const tree = (id: number) => ({ id, children: { data: [{ id: id + 1 }] } });
  for (const [index, conflict] of [
    '',
    ', on_conflict: {constraint: node_pkey, update_columns: []}',
  ].entries()) {
    const query = `mutation ($objects: [node_insert_input!]!) { insert_node(objects: $objects${conflict}) { __typename } }`;
    const objects = [tree(index * 10), tree(index * 10 + 2)];
    expect(await answer(query, { objects })).toEqual({
      insert_node: { __typename: 'node_mutation_response' },
    });
  }
  await end();
});

test.each([13, undefined] as const)(
  'values whose JSON their type cannot read: PostgreSQL %s',
  async (version) => {
    const { answer, end } = await serve(
      `create extension hstore; create domain labels as hstore; create type pair as (label text, extra hstore);
     create table item (
       id int primary key, parent int references item, "labels" labels, "many" hstore[], "pair" pair, "name" text
     )`,
      [{ table: 'item', array_relationships: [foreignKey('parts', 'item', 'parent')] }],
      version,
    );
    const labels = { labels: '"a"=>"1", "b"=>NULL', many: ['"c"=>"2"', ''], pair: '("x y","""d""=>""3""")' };
    const read = {
      labels: { a: '1', b: null },
      many: [{ c: '2' }, {}],
      pair: { label: 'x y', extra: { d: '3' } },
    };
    const returning = 'returning { id labels many pair parts { labels } }';
    const query = `mutation ($objects: [item_insert_input!]!) {
    insert_item(objects: $objects) { ${returning} }
    update_item(where: {id: {_eq: 1}}, _set: {name: "n"}) { returning { labels parts { id } } }
  }`;
    const objects = [{ id: 1, ...labels, parts: { data: [{ id: 2, labels: '"e"=>"4"' }] } }];
    expect(await answer(query, { objects })).toEqual({
      insert_item: { returning: [{ id: 1, ...read, parts: [{ labels: { e: '4' } }] }] },
      update_item: { returning: [{ labels: read.labels, parts: [{ id: 2 }] }] },
    });
    await end();
  },
);

test.each([13, undefined] as const)(
  'rows of tables and views with names, casts and columns of any kind: PostgreSQL %s',
  async (version) => {
    const relationship = {
      name: 'same',
      using: { manual_configuration: { remote_table: 'item', column_mapping: { id: 'id' } } },
    };
    const configuration = {
      column_config: { 'item#1': { custom_name: 'doc' }, 'engine row': { custom_name: 'row' } },
    };
    const { answer, database, end } = await serve(
      `create table item (gone int, id int primary key, "item#1" jsonb, "engine row" text, written text default 'x');
       alter table item drop column gone;
       create function words(item) returns text language sql as $$ select 'an item' $$;
       create cast (item as text) with function words(item) as assignment;
       create view item_view as select * from item;
       create view item_door as select * from item;
       create function pass() returns trigger language plpgsql as $$
         begin insert into item (id, "item#1") values (new.id, new."item#1"); return new; end $$;
       create trigger pass instead of insert on item_door for each row execute function pass()`,
      ['item', 'item_view', 'item_door'].map((table) => ({
        table,
        configuration,
        object_relationships: [relationship],
      })),
      version,
    );
    const row = (id: number) => ({ id, doc: { a: null }, row: 'r', same: { written: 'x' } });
    const returning = 'returning { id doc row same { written } }';
    const insert = (table: string, id: number) =>
      `insert_${table}(objects: [{id: ${id}, doc: {a: null}, row: "r"}]) { ${returning} }`;
    expect(
      await answer(`mutation { ${insert('item', 1)} ${insert('item_view', 2)} ${insert('item_door', 3)} }`),
    ).toEqual({
      insert_item: { returning: [row(1)] },
      insert_item_view: { returning: [row(2)] },
      insert_item_door: { returning: [row(3)] },
    });
    // A column that the metadata does not know yet.
    await database.query('alter table item add column later int default 9');
    expect(
      await answer(`mutation { update_item(where: {id: {_lt: 3}}, _set: {row: "r"}) { ${returning} } }`),
    ).toEqual({
      update_item: { returning: [row(1), row(2)] },
    });
    await end();
  },
);
