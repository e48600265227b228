/** Errors tell nothing about rows that the role may not see: whatever those hold, the answer is the same. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../../harness/server.ts';
import { connect } from '../../harness/socket.ts';

let database: TestDatabase;
let server: TestServer;

/** What the rows of user 2, who is not asking, hold: with the first, conditions fail for them; with the second they do not. */
const SECRETS = [
  { title: 'secret one', amount: '1e400', body: { n: 'x' }, area: '(1e200,1e200),(0,0)' },
  { title: 'other', amount: '2', body: { n: 1 }, area: '(2,2),(0,0)' },
];

beforeAll(async () => {
  database = await createTestDatabase(`
    create table author (id int primary key, name text not null);
    create table draft (
      id serial primary key, owner int not null references author, 
      title text not null, amount numeric not null, body jsonb not null, area box not null);
    create function draft_number(draft) returns int language plpgsql stable cost 1 as $$ begin return ($1.body ->> 'n')::int; end $$;
    create function author_drafts(author) returns setof draft language plpgsql stable cost 1 as $$
      begin
        if exists (select from draft where owner = $1.id and title = 'secret one') then raise exception 'there is one'; end if;
        return query select * from draft where owner = $1.id;
      end $$;
    insert into author values (1, 'me'), (2, 'other');
  `);
  // Plans that do not know the values: with those in use after some requests, Postgres notices bad ones only at a row.
  await database.query(
    `do $$ begin execute format('alter database %I set plan_cache_mode = force_generic_plan', current_database()); end $$`,
  );
  server = await startTestServer(database);
  // Postgres evaluates what is cheap first, so these rules cost more than the conditions.
  const never = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const mine = {
    _or: [{ owner: { _eq: 'X-Engine-User-Id' } }, ...never.map((title) => ({ title: { _eq: title } }))],
  };
  const me = {
    _or: [{ id: { _eq: 'X-Engine-User-Id' } }, ...never.map((name) => ({ name: { _eq: name } }))],
  };
  const permit = (kind: string, table: string, permission: object) => ({
    type: `pg_create_${kind}_permission`,
    args: { table, role: 'user', permission },
  });
  const args = [
    ...['author', 'draft'].map((table) => ({ type: 'pg_track_table', args: { table } })),
    {
      type: 'pg_add_computed_field',
      args: { table: 'draft', name: 'number', definition: { function: 'draft_number' } },
    },
    {
      type: 'pg_add_computed_field',
      args: { table: 'author', name: 'all_drafts', definition: { function: 'author_drafts' } },
    },
    {
      type: 'pg_create_array_relationship',
      args: {
        table: 'author',
        name: 'drafts',
        using: { foreign_key_constraint_on: { table: 'draft', column: 'owner' } },
      },
    },
    {
      type: 'pg_create_object_relationship',
      args: { table: 'draft', name: 'author', using: { foreign_key_constraint_on: 'owner' } },
    },
    permit('select', 'author', { columns: '*', filter: me }),
    permit('select', 'draft', {
      columns: '*',
      filter: mine,
      computed_fields: ['number'],
      allow_aggregations: true,
    }),
    permit('insert', 'draft', { columns: '*', check: {} }),
    permit('update', 'draft', { columns: '*', filter: mine }),
    permit('delete', 'draft', { filter: mine }),
  ];
  const { status, text } = await send(server, '/v1/metadata', { body: { type: 'bulk', args } });
  if (status !== 200) throw new Error(text);
});

afterAll(() => server?.stop());

async function reset(secret: (typeof SECRETS)[number]): Promise<void> {
  await database.query('truncate draft restart identity');
  await database.query(
    `insert into draft (owner, title, amount, body, area) values
       (1, 'mine', 1, '{"n": 1}', '(1,1),(0,0)'), (2, $1, $2::numeric, $3, $4::box)`,
    [secret.title, secret.amount, JSON.stringify(secret.body), secret.area],
  );
}

async function ask(query: string, variables: object = {}): Promise<string> {
  const { text } = await send(server, '/v1/graphql', {
    headers: { 'x-engine-role': 'user', 'x-engine-user-id': '1' },
    body: { query, variables },
  });
  return text;
}

/** The answers, one for each content of the hidden row. */
async function answers(run: () => Promise<string>): Promise<string[]> {
  const texts: string[] = [];
  for (const secret of SECRETS) {
    await reset(secret);
    texts.push(await run());
  }
  return texts;
}

/** Conditions on a draft that fail for a hidden row, or would. */
const HOSTILE: Readonly<Record<string, string>> = {
  'a pattern that ends in its escape character': String.raw`title: {_like: "secret\\"}`,
  'a pattern without regard to case': String.raw`title: {_ilike: "SECRET\\"}`,
  'a pattern behind another condition': String.raw`amount: {_gt: 1000}, title: {_nlike: "secre_\\"}`,
  'a regular expression that is invalid': `amount: {_gt: 1000}, title: {_regex: "("}`,
  'a negated one': `amount: {_gt: 1000}, title: {_niregex: "("}`,
  'a SIMILAR pattern': `amount: {_gt: 1000}, title: {_similar: "("}`,
  'a SIMILAR pattern with too many parts': String.raw`amount: {_gt: 1000}, title: {_nsimilar: "\\\"\\\"\\\"a"}`,
  'boxes whose areas overflow': `area: {_eq: "(1,1),(0,0)"}`,
  'a list of boxes': `area: {_in: ["(1,1),(0,0)"]}`,
  'a computed field': `number: {_eq: 1}`,
  'a computed field under or': `_or: [{number: {_eq: 1}}, {id: {_eq: 1}}]`,
  'a computed field under not': `_not: {number: {_eq: 1}}`,
};

describe('the same answer, whatever hidden rows hold', () => {
  describe.each(Object.entries(HOSTILE))('%s', (_, where) => {
    test.each([
      ['list', `{draft(where: {${where}}) {id}}`],
      ['aggregate', `{draft_aggregate(where: {${where}}) {aggregate {count} nodes {id}}}`],
      [
        'update',
        `mutation {update_draft(where: {${where}}, _set: {title: "t"}) {affected_rows returning {id}}}`,
      ],
      [
        'update of many',
        `mutation {update_draft_many(updates: [{where: {${where}}, _set: {title: "t"}}]) {affected_rows}}`,
      ],
      ['delete', `mutation {delete_draft(where: {${where}}) {affected_rows}}`],
      [
        'conflict',
        `mutation {insert_draft(objects: [{id: 2, owner: 1, title: "t", amount: 1, body: {n: 1}, area: "(1,1),(0,0)"}],
           on_conflict: {constraint: draft_pkey, update_columns: [title], where: {${where}}}) {affected_rows}}`,
      ],
      ['rows behind a relationship', `{author(where: {drafts: {${where}}}) {id}}`],
      ['rows of a relationship', `{author {drafts(where: {${where}}) {id}}}`],
      ['under not', `{author(where: {_not: {drafts: {${where}}}}) {id}}`],
      ['rows behind two relationships', `{draft(where: {author: {drafts: {${where}}}}) {id}}`],
      [
        'a predicate on an aggregate',
        `{author(where: {drafts_aggregate: {count: {predicate: {_gt: 0}, filter: {${where}}}}}) {id}}`,
      ],
    ])('%s', async (_kind, query) => {
      const [one, other] = await answers(() => ask(query));
      expect(one).toBe(other);
      expect(one).not.toMatch(/not a valid graphql query|no such/);
    });
  });

  test('rows of a function', async () => {
    const [one, other] = await answers(() => ask(`{author(where: {all_drafts: {id: {_gt: 0}}}) {id}}`));
    expect(one).toBe(other);
    expect(one).toBe('{"data":{"author":[{"id":1}]}}');
  });

  test('a hidden row tied to a visible one that the condition fails for', async () => {
    const [one, other] = await answers(() =>
      ask(`{draft(where: {amount: {_gt: 1000}, author: {name: {_regex: "("}}}) {id}}`),
    );
    expect(one).toBe(other);
  });
});

describe('subscriptions', () => {
  const session = { 'x-engine-role': 'user', 'x-engine-user-id': '1' };

  test.each([
    [
      'a live query whose value is no value of its type',
      'subscription ($p: String!, $n: numeric!) {draft(where: {title: {_like: $p}, amount: {_gt: $n}}) {id}}',
      { p: 'secret%', n: 'many' },
    ],
    [
      'a stream from a place that is none',
      `subscription ($p: String!, $n: numeric!) {
        draft_stream(batch_size: 1, cursor: {initial_value: {amount: $n}}, where: {title: {_like: $p}}) {id}}`,
      { p: 'secret%', n: 'many' },
    ],
    [
      'a regular expression',
      'subscription ($p: String!) {draft(where: {amount: {_gt: 1000}, title: {_regex: $p}}) {id}}',
      { p: '(' },
    ],
  ])('%s', async (_, query, variables) => {
    const [one, other] = await answers(async () => {
      const socket = await connect(server, { session });
      socket.send({ type: 'subscribe', id: '1', payload: { query, variables } });
      const message = await socket.next();
      await socket.close();
      return JSON.stringify(message);
    });
    expect(one).toBe(other);
  });
});

describe('what the client sees itself', () => {
  beforeAll(() => reset(SECRETS[0]!));

  test('still fails where a row that it may see does', async () => {
    expect(await ask(`{draft(where: {title: {_regex: "("}}) {id}}`)).toContain('invalid regular expression');
  });

  test.each([['_like'], ['_nlike'], ['_ilike'], ['_nilike']])(
    '%s patterns are refused with their place, whether rows match or not',
    async (operator) => {
      const text = await ask(
        `query ($p: String!) {draft(where: {id: {_eq: 0}, title: {${operator}: $p}}) {id}}`,
        { p: 'a\\' },
      );
      expect(JSON.parse(text)).toEqual({
        errors: [
          {
            message: 'LIKE pattern must not end with escape character',
            extensions: { path: `$.selectionSet.draft.args.where.title.${operator}`, code: 'bad-request' },
          },
        ],
      });
    },
  );

  test('a variable that is a value elsewhere is checked where it is a pattern', async () => {
    const query = 'query ($p: String!) {draft(where: {title: {_eq: $p, _like: $p}}) {id}}';
    expect(await ask(query, { p: 'a\\' })).toContain('must not end with escape character');
    expect(await ask(query, { p: 'mine' })).toBe('{"data":{"draft":[{"id":1}]}}');
  });

  test('escaped characters at the end of a pattern are accepted', async () => {
    expect(await ask(String.raw`{draft(where: {title: {_like: "min\\e"}}) {id}}`)).toContain('"id":1');
    expect(await ask(String.raw`{draft(where: {title: {_like: "mine\\\\"}}) {id}}`)).toBe(
      '{"data":{"draft":[]}}',
    );
  });
});
