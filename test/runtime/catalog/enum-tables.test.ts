import { describe, expect, it } from 'vitest';
import { introspectDatabase, readEnumTableRows } from '../../../runtime/catalog/index.ts';
import { createTestDatabase } from '../../harness/postgres.ts';

const sql = `
  create schema other;
  create table color (id text primary key, "the ""comment""" text);
  insert into color values ('red', 'warm'), ('blue', null), ('Zinc', 'It''s grey'), ('ätna', '');
  create table other.plain (value text primary key);
  insert into other.plain values ('b'), ('a');
  create table reversed (comment text, value text primary key);
  insert into reversed values ('first', 'one');
  create table empty (value text primary key, comment text);

  create table no_key (value text, comment text);
  create table key_of_two (value text, comment text, primary key (value, comment));
  create table key_of_another_type (value varchar(10) primary key, comment text);
  create table comment_of_another_type (value text primary key, comment int);
  create table too_wide (value text primary key, comment text, further text);
`;

async function setUp() {
  const database = await createTestDatabase(sql);
  const statements: string[] = [];
  const query = async (text: string, values?: readonly unknown[]) => {
    statements.push(text);
    return { rows: await database.query(text, values) };
  };
  const catalog = await introspectDatabase(query);
  statements.length = 0;
  return { statements, query, catalog };
}

const named = (schema: string, ...names: readonly string[]) => names.map((name) => ({ schema, name }));

describe('readEnumTableRows', () => {
  it('reads values and comments of all tables in one round trip, sorted by value', async () => {
    const { query, catalog, statements } = await setUp();
    const tables = [...named('public', 'reversed', 'color', 'empty'), ...named('other', 'plain')];
    expect(await readEnumTableRows(query, tables, catalog)).toEqual({
      'other.plain': [
        { value: 'a', comment: null },
        { value: 'b', comment: null },
      ],
      'public.color': [
        { value: 'Zinc', comment: "It's grey" },
        { value: 'blue', comment: null },
        { value: 'red', comment: 'warm' },
        { value: 'ätna', comment: '' },
      ],
      'public.empty': [],
      'public.reversed': [{ value: 'one', comment: 'first' }],
    });
    expect(statements).toHaveLength(1);
  });

  it('leaves out what does not exist or cannot be an enum table, and asks nothing if nothing is left', async () => {
    const { query, catalog, statements } = await setUp();
    const tables = named(
      'public',
      'missing',
      'no_key',
      'key_of_two',
      'key_of_another_type',
      'comment_of_another_type',
      'too_wide',
    );
    expect(await readEnumTableRows(query, tables, catalog)).toEqual({});
    expect(statements).toEqual([]);
    expect(
      Object.keys(await readEnumTableRows(query, [...tables, ...named('public', 'color')], catalog)),
    ).toEqual(['public.color']);
  });
});
