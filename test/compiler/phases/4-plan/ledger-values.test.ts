/** What ledgers say of values: a text, a call and a session variable are told apart by reading. */
import { beforeAll, expect, test } from 'vitest';
import { compile } from '../../../../compiler/index.ts';
import { readMetadata } from '../../../../compiler/phases/1-read/index.ts';
import type { SourceCatalog } from '../../../../runtime/catalog/catalog.ts';
import { catalogsOf } from '../../../harness/compile.ts';
import { metadataOf } from '../../../harness/metadata.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/postgres.ts';

const SQL = `
  create type mood as enum ('now()', 'sad');
  create domain stamp as timestamptz;
  create table thing (
    id int primary key, t text, v varchar, j jsonb, js json, n numeric, b boolean, u uuid, d date, tm time, ts timestamp, tz timestamptz,
    st stamp, ta text[], tza timestamptz[], tr tstzrange, m mood, ia int[], "order items" text, "true" text, "7" text, "null" text
  );
`;

let database: TestDatabase;
let catalogs: Record<string, SourceCatalog>;
beforeAll(async () => {
  database = await createTestDatabase(SQL);
  catalogs = await catalogsOf(readMetadata(metadataOf([{ table: 'thing' }])).value, database.url);
});

/** The lines of the role's ledger that begin so. */
function ledger(permissions: object, start: string): string[] {
  const { value } = readMetadata(metadataOf([{ table: 'thing', ...permissions }]));
  const { state, diagnostics } = compile({ metadata: value, catalogs });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return state.plan.ledgers[0]!.facts.flatMap((fact) => (fact.trim().startsWith(start) ? [fact.trim()] : []));
}

/** SQL of the preset, as it runs. */
function presetSql(permissions: object, column: string): unknown {
  const { value } = readMetadata(metadataOf([{ table: 'thing', ...permissions }]));
  const { state } = compile({ metadata: value, catalogs });
  const { access } = state.plan.sources[0]!.tables[0]!;
  return (access.insert!.user!.presets as Record<string, unknown>)[column];
}

test.each([
  // Texts that look like something else.
  ['t', 'now()', '"now()"'],
  ['t', 'now', '"now"'],
  ['t', 'current_user', '"current_user"'],
  ['t', "nextval('s')", `"nextval('s')"`],
  ['t', 'null', '"null"'],
  ['t', 'true', '"true"'],
  ['t', '7', '"7"'],
  ['t', 'any row', '"any row"'],
  ['t', 'a" or true', '"a\\" or true"'],
  ['t', 'two\nlines', '"two\\nlines"'],
  ['t', '', '""'],
  ['t', '{"a": 1}', '"{\\"a\\": 1}"'],
  ['t', 'x-other-user', '"x-other-user"'],
  ['v', 'today', '"today"'],
  ['m', 'now()', '"now()"'],
  ['j', 'now()', '"now()"'],
  ['j', { at: 'now()' }, '{"at":"now()"}'],
  ['j', ['X-Engine-User-Id', 1], '["X-Engine-User-Id",1]'],
  ['js', { a: null }, '{"a":null}'],
  ['ta', ['now()', 'b'], '["now()","b"]'],
  ['ta', '{now,b}', '"{now,b}"'],
  ['ia', [1, 2], '[1,2]'],
  ['u', '0f3c1c1e-0000-4000-8000-000000000000', '"0f3c1c1e-0000-4000-8000-000000000000"'],
  ['tz', '2020-01-01', '"2020-01-01"'],
  ['tz', 'infinity', '"infinity"'],
  // Numbers and constants.
  ['n', 1.5, '1.5'],
  ['b', false, 'false'],
  // The moment of the request.
  ['tz', 'now()', 'now()'],
  ['tz', 'NOW', 'now()'],
  ['ts', 'now()', 'now()'],
  ['d', 'now', 'now()'],
  ['tm', 'now', 'now()'],
  ['tz', 'today', '"today" (read at each request)'],
  ['d', 'tomorrow', '"tomorrow" (read at each request)'],
  ['tza', ['now', '2020-01-01'], '["now","2020-01-01"] (read at each request)'],
  ['tr', '[now,)', '"[now,)" (read at each request)'],
  // Session variables.
  ['t', 'X-Engine-User-Id', 'X-Engine-User-Id'],
  ['tz', 'x-engine-now', 'X-Engine-Now'],
  ['ia', 'X-Engine-Ids', 'X-Engine-Ids'],
])('a preset of %s: %j', (column, value, words) => {
  const insert_permissions = [
    { role: 'user', permission: { check: {}, columns: ['id'], set: { [column]: value } } },
  ];
  expect(ledger({ insert_permissions }, 'insert preset')).toEqual([`insert preset ${column} = ${words}`]);
  // The ledger says that a function is called, or a literal read anew, exactly where that runs.
  const sql = String(presetSql({ insert_permissions }, column));
  expect(sql.startsWith('now()')).toBe(words === 'now()');
  expect(/::text::/.test(sql)).toBe(words.endsWith('(read at each request)'));
});

test.each([
  [{ tz: { _lte: 'now()' } }, 'tz <= now()'],
  [{ t: { _eq: 'now()' } }, 't = "now()"'],
  [{ d: { _gte: 'today' } }, 'd >= "today" (read at each request)'],
  [{ d: { _in: ['today', '2020-01-01'] } }, 'd in ("today" (read at each request), "2020-01-01")'],
  [{ t: { _in: ['now()', 'X-Engine-User-Id'] } }, 't in ("now()", X-Engine-User-Id)'],
  [{ t: { _in: 'X-Engine-Names' } }, 't in X-Engine-Names'],
  [{ j: { _contains: { at: 'now()' } } }, 'j _contains {"at":"now()"}'],
  [{ j: { _has_key: 'now()' } }, 'j _has_key "now()"'],
  [{ j: { _cast: { String: { _eq: 'now()' } } } }, 'j::text = "now()"'],
  [{ t: { _ceq: 'order items' } }, 't = column "order items"'],
  [{ t: { _eq: 'order items' } }, 't = "order items"'],
  [{ t: { _ceq: 'true' } }, 't = column true'],
  [{ t: { _ceq: '7' } }, 't = column 7'],
  [{ t: { _ceq: 'null' } }, 't = column null'],
  [{ t: { _ceq: ['$', 'order items'] } }, 't = $."order items"'],
  [{ 'order items': { _eq: 'x' } }, '"order items" = "x"'],
])('a rule: %j', (filter, words) => {
  const select_permissions = [{ role: 'user', permission: { columns: ['id'], filter } }];
  expect(ledger({ select_permissions }, 'select where')).toEqual([`select where ${words}`]);
});
