/** Answers of `@cached` queries: kept, never shared between sessions that read differently, and dropped with the change that concerns them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Random } from '../../fuzz/random.ts';
import { leaks, send, serve, type TestServer } from '../../harness/server.ts';

let server: TestServer;

async function metadata(type: string, args: object): Promise<void> {
  const answer = await send(server, '/v1/metadata', { body: { type, args } });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
}

beforeAll(async () => {
  server = await serve({
    sql: `
    create table note (id int primary key, owner int not null, body text not null default '', due timestamptz);
    create table team (id int primary key, name text not null);
    create table member (team_id int references team, user_id int, primary key (team_id, user_id));
    create view notes as select * from note;
    create view late as select * from note where due < now();
    create function touch() returns setof note language sql volatile as 'select * from note';
    insert into note (id, owner, body) select id, id % 3, 'note ' || id from generate_series(1, 9) id;
    insert into team select id, 'team ' || id from generate_series(1, 4) id;
    insert into member values (1, 1), (2, 2);
  `,
    options: { RESPONSE_CACHE: '8', ENABLED_APIS: 'graphql,metadata,developer' },
  });
  for (const table of ['note', 'team', 'member', 'notes', 'late'])
    await metadata('pg_track_table', { table });
  await metadata('pg_track_function', { function: 'touch', configuration: { exposed_as: 'query' } });
  const using = { foreign_key_constraint_on: { table: 'member', column: 'team_id' } };
  await metadata('pg_create_array_relationship', { table: 'team', name: 'members', using });
  const permit = (table: string, role: string, filter: object) =>
    metadata('pg_create_select_permission', {
      table,
      role,
      permission: { columns: '*', filter, allow_aggregations: true },
    });
  const own = { owner: { _eq: 'X-Engine-User-Id' } };
  for (const table of ['note', 'notes', 'late']) await permit(table, 'user', own);
  await permit('note', 'all', {});
  await permit('team', 'user', { members: { user_id: { _eq: 'X-Engine-User-Id' } } });
  const update = { columns: ['body'], filter: own, check: {} };
  await metadata('pg_create_update_permission', { table: 'note', role: 'user', permission: update });
});
afterAll(async () => {
  await server.stop();
  expect(leaks()).toEqual([]);
});

const user = (id: number) => ({ 'x-engine-role': 'user', 'x-engine-user-id': String(id) });

async function ask(query: string, headers: Record<string, string> = {}, variables: object = {}) {
  const answer = await send(server, '/v1/graphql', { body: { query, variables }, headers });
  return { text: answer.text, kept: answer.headers['cache-control'] };
}

interface Listed {
  readonly role: string | null;
  readonly query: string;
  readonly hits: number;
  readonly not_kept_because: string | null;
}

async function listed(query: string): Promise<Listed> {
  const { json } = await send(server, '/dev/cache', { method: 'GET' });
  const found = (json as { queries: Listed[] }).queries.find((each) => each.query === query);
  if (!found) throw new Error(`not listed: ${query}`);
  return found;
}

/** Asks until the answer is kept: the server first asks the database what the query depends on. */
async function keep(query: string, headers: Record<string, string> = {}, variables: object = {}) {
  await expect.poll(async () => (await ask(query, headers, variables)).kept).toMatch(/^max-age=\d+$/);
}

test('an answer is kept and told so, and not read again', async () => {
  const query = 'query kept @cached { note(order_by: {id: asc}) { id body } }';
  await keep(query, user(1));
  const { hits } = await listed(query);
  const { text, kept } = await ask(query, user(1));
  expect(kept).toMatch(/^max-age=(59|60)$/);
  expect(text).toContain('note 1');
  expect((await listed(query)).hits).toBe(hits + 1);
});

test('answers are those of the role, the session and the variables', async () => {
  const query =
    'query own($min: Int!) @cached { note(where: {id: {_gte: $min}}, order_by: {id: asc}) { id } }';
  const ids = async (headers: Record<string, string>, min: number) => {
    const { text } = await ask(query, headers, { min });
    return (JSON.parse(text) as { data: { note: { id: number }[] } }).data.note.map(({ id }) => id);
  };
  await keep(query, user(1), { min: 1 });
  await keep(query, user(2), { min: 1 });
  await keep(query, { 'x-engine-role': 'all' }, { min: 8 });
  for (let round = 0; round < 2; round += 1) {
    expect(await ids(user(1), 1)).toEqual([1, 4, 7]);
    expect(await ids(user(1), 5)).toEqual([7]);
    expect(await ids(user(2), 1)).toEqual([2, 5, 8]);
    expect(await ids({ 'x-engine-role': 'all' }, 8)).toEqual([8, 9]);
    expect(await ids({ ...user(1), 'x-engine-role': 'admin' }, 8)).toEqual([8, 9]);
  }
});

test('a client reads what it has written', async () => {
  const query = 'query mine @cached { note_by_pk(id: 4) { body } }';
  for (const body of ['a', 'b', 'c']) {
    await keep(query, user(1));
    const change = `mutation { update_note_by_pk(pk_columns: {id: 4}, _set: {body: "${body}"}) { id } }`;
    await ask(change, user(1));
    expect((await ask(query, user(1))).text).toBe(`{"data":{"note_by_pk":{"body":"${body}"}}}`);
  }
});

test.each([
  [
    'a table',
    'query q1 @cached { note_by_pk(id: 7) { body } }',
    "update note set body = 'other' where id = 7",
    'other',
  ],
  [
    'a view',
    'query q2 @cached { notes(where: {id: {_eq: 7}}) { body } }',
    "update note set body = 'new' where id = 7",
    'new',
  ],
  [
    'what a rule looks at',
    'query q3 @cached { team { name } }',
    'insert into member values (4, 1)',
    'team 4',
  ],
])('a write of somebody else to %s drops it', async (_, query, change, now) => {
  await keep(query, user(1));
  await server.database.query(change);
  await expect.poll(async () => (await ask(query, user(1))).text).toContain(now);
});

test.each([
  ['query r1 @cached { late { id } }', /now|time/],
  ['query r2 @cached { touch { id } }', /VOLATILE/],
  ['query r3 @cached { __typename }', /no table/],
  ['query r4 @cached { note(where: {due: {_lt: "now"}}) { id } }', /a value depends on the time/],
  ['query r5 @cached(ttl: 0) { note { id } }', /ttl is 0/],
])('%s is not kept', async (query, reason) => {
  // A VOLATILE function that no role was allowed is the administrator's.
  const headers = query.includes('touch') ? {} : user(1);
  for (let round = 0; round < 5; round += 1) {
    expect((await ask(query, headers)).kept).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect((await listed(query)).not_kept_because).toMatch(reason);
});

describe('the arguments', () => {
  test('ttl is in seconds, also by a variable; 0 keeps nothing', async () => {
    const query = 'query ttl($ttl: Int = 5) @cached(ttl: $ttl) { team { id name } }';
    await expect.poll(async () => (await ask(query, user(1), { ttl: 7 })).kept).toMatch(/^max-age=[67]$/);
    const none = 'query none @cached(ttl: 0) { team { id name } }';
    for (let round = 0; round < 4; round += 1) expect((await ask(none, user(1))).kept).toBeUndefined();
  });

  test('an answer ends with its time', async () => {
    const query = 'query brief @cached(ttl: 1) { team { id } }';
    await keep(query, user(1));
    await expect.poll(async () => (await ask(query, user(1))).kept, { timeout: 5000 }).toBe('max-age=1');
  });

  test('refresh reads anew', async () => {
    const query = 'query anew($r: Boolean!) @cached(refresh: $r) { team { name id } }';
    await keep(query, user(1), { r: false });
    const { hits } = await listed(query);
    await ask(query, user(1), { r: true });
    expect((await listed(query)).hits).toBe(hits);
  });

  test.each([
    ['ttl: "a"', "'Int'"],
    ['refresh: 1', "'Boolean'"],
    ['time: 1', "'cached' has no argument named 'time'"],
  ])('%s is refused', async (given, message) => {
    expect((await ask(`query @cached(${given}) { team { id } }`)).text).toContain(message);
  });
});

describe('saved operations', () => {
  /** By the text of the allow-list, by REST, and by the hash of the saved document. */
  const queries = {
    saved_notes: 'query saved_notes @cached(ttl: 90) { note(order_by: {id: asc}) { id body } }',
    saved_since:
      'query saved_since($min: Int!, $t: Int) @cached(ttl: $t) { note(where: {id: {_gte: $min}}, order_by: {id: asc}) { id } }',
    saved_teams: 'query saved_teams($r: Boolean!) @cached(refresh: $r) { team { id name } }',
    saved_late: 'query saved_late @cached { late { id } }',
  };
  beforeAll(async () => {
    const list = Object.entries(queries).map(([name, query]) => ({ name, query }));
    await metadata('create_query_collection', { name: 'kept', definition: { queries: list } });
    for (const name of Object.keys(queries))
      await metadata('create_rest_endpoint', {
        name,
        url: name,
        methods: ['GET', 'POST'],
        definition: { query: { collection_name: 'kept', query_name: name } },
      });
  });
  const rest = async (name: string, headers: Record<string, string>, body: object = {}) => {
    const answer = await send(server, `/api/rest/${name}`, { body, headers });
    return { text: answer.text, kept: answer.headers['cache-control'] };
  };

  test('are kept by their generated statements, for each session and each value', async () => {
    const kept = (id: number, min: number) => async () => (await rest('saved_since', user(id), { min })).kept;
    await expect.poll(async () => (await rest('saved_notes', user(1))).kept).toMatch(/^max-age=(90|89)$/);
    await expect.poll(kept(1, 1)).toMatch(/^max-age=(60|59)$/);
    await expect.poll(kept(2, 1)).toBeDefined();
    const ids = async (id: number, min: number) =>
      (
        JSON.parse((await rest('saved_since', user(id), { min })).text) as { note: { id: number }[] }
      ).note.map((note) => note.id);
    for (let round = 0; round < 2; round += 1) {
      expect(await ids(1, 1)).toEqual([1, 4, 7]);
      expect(await ids(1, 5)).toEqual([7]);
      expect(await ids(2, 1)).toEqual([2, 5, 8]);
    }
    await expect
      .poll(async () => {
        await rest('saved_notes', user(1));
        return (await listed(queries.saved_notes)).hits;
      })
      .toBeGreaterThan(0);
  });

  test('are dropped by a write, and read anew where asked', async () => {
    await expect.poll(async () => (await rest('saved_notes', user(1))).kept).toBeDefined();
    await ask('mutation { update_note_by_pk(pk_columns: {id: 1}, _set: {body: "said"}) { id } }', user(1));
    expect((await rest('saved_notes', user(1))).text).toContain('said');
    await expect.poll(async () => (await rest('saved_teams', user(1), { r: false })).kept).toBeDefined();
    const { hits } = await listed(queries.saved_teams);
    expect((await rest('saved_teams', user(1), { r: true })).text).toContain('team');
    expect((await listed(queries.saved_teams)).hits).toBe(hits);
  });

  test('say why they are not kept', async () => {
    const reason = async () => {
      expect((await rest('saved_late', user(1))).kept).toBeUndefined();
      return (await listed(queries.saved_late)).not_kept_because;
    };
    await expect.poll(reason).toMatch(/now|time/);
  });

  test.each(['a', 1.5, 1e12, [1], true])('refuse %o as ttl', async (t) => {
    expect((await rest('saved_since', user(1), { min: 1, t })).text).toMatch(/"error"/);
  });
});

test('neither GET nor a batch says how long: browsers and proxies would keep the answer', async () => {
  const query = 'query shared @cached { team { id name } }';
  await keep(query, user(1));
  const got = await send(server, `/v1/graphql?query=${encodeURIComponent(query)}`, {
    headers: user(1),
    method: 'GET',
  });
  expect([got.status, got.headers['cache-control']]).toEqual([200, undefined]);
  const batch = await send(server, '/v1/graphql', { body: [{ query }, { query }], headers: user(1) });
  expect([batch.status, batch.headers['cache-control']]).toEqual([200, undefined]);
});

test('a change of the metadata ends what was kept', async () => {
  const query = 'query lost @cached { team { name } }';
  await keep(query, user(1));
  await metadata('pg_drop_select_permission', { table: 'team', role: 'user' });
  expect((await ask(query, user(1))).text).toContain("field 'team' not found");
  const filter = { id: { _eq: 3 } };
  const permission = { columns: '*', filter };
  await metadata('pg_create_select_permission', { table: 'team', role: 'user', permission });
  expect((await ask(query, user(1))).text).toBe('{"data":{"team":[{"name":"team 3"}]}}');
});

test('after every write through the server each role reads what is there', async () => {
  const random = new Random(7);
  const queries = [
    'note(order_by: {id: asc}) { id body }',
    'note_aggregate { aggregate { count max { body } } }',
  ];
  const sessions = [user(0), user(1), user(2), { 'x-engine-role': 'all' }, {}];
  for (let round = 0; round < 25; round += 1) {
    const id = random.below(9) + 1;
    const body = `${round}`;
    await ask(
      `mutation { update_note(where: {id: {_eq: ${id}}}, _set: {body: "${body}"}) { affected_rows } }`,
    );
    for (const headers of sessions)
      for (const [index, fields] of queries.entries()) {
        const { text } = await ask(`query p${index} @cached { ${fields} }`, headers);
        expect(text).toBe((await ask(`{ ${fields} }`, headers)).text);
      }
  }
});
