/** Saved statements with holes, linked for a role, are the statements that planning for that role gives, for every request of the corpus. */

import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { bindParameter } from '../../../../runtime/core/request/bind.ts';
import {
  type SavedText,
  savedSql,
  savedStatement,
  savedText,
} from '../../../../runtime/core/saved/saved-sql.ts';
import { NOBODY } from '../../../../runtime/core/session.ts';
import { eachPart, type ParameterNode, type Sql } from '../../../../runtime/core/sql/fragment.ts';
import { print, type Statement } from '../../../../runtime/core/sql/print.ts';
import { type ReadKey, readSetOf } from '../../../../runtime/core/sql/reads.ts';
import { meaningOf } from '../../../../runtime/core/sql/statement.ts';
import { type InProcess, serveInProcess } from '../../../harness/in-process.ts';
import { metadataOf } from '../../../harness/metadata.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';
import {
  openRequestProject,
  type RequestProject,
  type ServingOptions,
} from '../../../harness/request-project.ts';
import { layOut } from '../../../harness/sql-layout.ts';

const corpus = fileURLToPath(new URL('../../../requests', import.meta.url));
const files = readdirSync(corpus, { recursive: true, encoding: 'utf8' }).sort();
// Those below `served` have no cases.
const projects = files
  .filter((file) => basename(file) === 'metadata.yaml' && !file.startsWith('served/'))
  .map((file) => dirname(file));

/** A request of the corpus that is planned without an error. */
interface Case {
  readonly role: string;
  readonly session?: Readonly<Record<string, string>>;
  /** Options of the server. */
  readonly options?: ServingOptions;
  readonly relay?: true;
  readonly request: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly sql?: string;
}

function parameterOf(parameter: ParameterNode) {
  const { type, source } = parameter;
  return { type, source: source.from === 'constant' ? bindParameter(parameter, {}, NOBODY) : source };
}

/** The statement as it was planned, and as it is with its holes filled; undefined where no holes can describe it. */
function bothTexts(served: InProcess, statement: Statement, role: string) {
  const saved = savedText(statement, true);
  if (!saved) return undefined;
  const linked = savedStatement(saved, 'default', role, served.program);
  // Keys in any order; equal constants are one.
  const readBy = (tree: Sql) => {
    const { parameters } = print(tree);
    const reads = readSetOf(tree, parameters);
    const valueAt = ({ column, parameter }: ReadKey) => {
      return JSON.stringify([column, parameterOf(parameters[parameter]!)]);
    };
    const relations = reads.relations.map(({ places, ...relation }) => ({
      ...relation,
      places: places.map((keys) => keys.map(valueAt).sort().join()).sort(),
    }));
    return { ...reads, relations };
  };
  // A file does not tell two equal constants from one that stands in two places: they are one parameter there.
  const described = ({ text, parameters }: Statement) => {
    const all = parameters.map((parameter) => JSON.stringify(parameterOf(parameter)));
    const distinct = [...new Set(all)];
    return {
      text: text
        .replace(/\s+|(?<=\() | (?=\))/g, '')
        .replace(/\$(\d+)/g, (_, number) => `$${distinct.indexOf(all[Number(number) - 1]!) + 1}`),
      parameters: distinct,
    };
  };
  return {
    holes: saved.sql,
    relaid: layOut(saved.sql, '').trim(),
    planned: described(statement),
    linked: described(linked),
    reads: {
      planned: readBy(statement.tree!),
      linked: readBy(savedSql(saved, 'default', role, served.program)),
    },
  };
}

/** The text of a tree that no visitor is told about: what is not a table, a column, a call or a rule. */
function looseText(tree: Sql): string {
  let text = '';
  eachPart(tree, (part) => {
    if (typeof part === 'string') text += part;
    else if ('nodes' in part) text += TOLD.has(meaningOf(part)?.kind) ? '·' : looseText(part);
    else text += part.kind === 'text' ? part.text : '?';
  });
  return text;
}

const TOLD: ReadonlySet<unknown> = new Set(['table', 'alias', 'column', 'rule']);

/** A name in a schema of the corpus, unless of a type or function, an alias (keys of connections are columns), or a function that is the time. */
const LOOSE =
  /(?<!::)"(?:public|billing|geo)"\."[^"]+"(?!\()|"(?!key#)[^"]+#\d+"|\b(?:now|age|timeofday|clock_timestamp|statement_timestamp|localtimestamp|current_(?:date|time|timestamp))\b/;

/** The parts of rules that holes of the corpus name. */
const parts = new Set<string>();

describe.each(projects)('%s', (project) => {
  let opened: RequestProject;
  beforeAll(async () => {
    opened = await openRequestProject(project);
  });
  afterAll(() => opened?.end());

  test('linked statements are what planning gives', async () => {
    const cases = files
      .filter((file) => file.startsWith(`${project}/`) && file.endsWith('.yaml'))
      .map((file) => parse(readFileSync(join(corpus, file), 'utf8')) as Case)
      .filter(({ sql }) => sql !== undefined);
    let compared = 0;
    let holes = 0;
    for (const { role, session, options, relay, request, variables } of cases) {
      const served = await opened.served({ ...options, ruleHoles: true });
      for (const statement of served.statements({ query: request, variables, relay }, role, session)) {
        const both = bothTexts(served, statement, role);
        if (!both) continue;
        expect(both.linked, request).toEqual(both.planned);
        // The texts of native queries keep their lines.
        if (!/^(?:native|nested)/.test(project)) expect(both.holes, request).toBe(both.relaid);
        expect(looseText(statement.tree!), request).not.toMatch(LOOSE);
        if (!statement.writes && !request.startsWith('mutation'))
          expect(both.reads.linked, request).toEqual(both.reads.planned);
        compared += 1;
        for (const [, part] of both.holes.matchAll(
          /\{((?:select|update|delete|check|preset|limit)(?: insert| update| delete)?) /g,
        )) {
          holes += 1;
          parts.add(part!);
        }
      }
    }
    expect(compared).toBeGreaterThan(0);
    expect(holes).toBeGreaterThan(0);
  });
});

test('the corpus has every hole', () => {
  expect([...parts].sort()).toEqual([
    'check delete',
    'check insert',
    'check update',
    'delete',
    'limit',
    'preset insert',
    'preset update',
    'select',
    'update',
  ]);
});

describe('texts of clients and names of databases', () => {
  let served: InProcess;
  beforeAll(async () => {
    const { url } = await createTestDatabase(`
      create table note (id int primary key, "a {b} /*{select public.note" text);
      create table "two words" (id int constraint two_key primary key, owner int);
    `);
    const own = { owner: { _eq: 'X-Engine-User-Id' } };
    const odd = { _or: [{ text: { _eq: "'}} {row} /**/" } }, { text: { _like: '{session.x::int}\\' } }] };
    served = await serveInProcess(
      url,
      metadataOf(
        [
          {
            table: 'note',
            configuration: {
              column_config: { 'a {b} /*{select public.note': { custom_name: 'text' } },
            },
            select_permissions: [
              {
                role: 'user',
                permission: { columns: '*', filter: { 'a {b} /*{select public.note': odd._or[0]!.text } },
              },
            ],
          },
          {
            table: 'two words',
            configuration: { custom_name: 'two' },
            select_permissions: [{ role: 'user', permission: { columns: '*', filter: own } }],
          },
        ],
        {},
        url,
      ),
      undefined,
      { ruleHoles: true },
    );
  });
  afterAll(() => served?.end());

  test.each([
    '{ note(where: {text: {_eq: "{select public.note \\"note#1\\"}"}}) { text } }',
    '{ note(where: {text: {_in: ["}}", "/**/", "$1", "{{", "\'", "\\\\"]}}) { text __typename } }',
    `{ note(where: {text: {_in: ["it's from a where and b or (c", "${"a and it's ".repeat(20)}", "\\" and \\" (select"]}}) { text } }`,
    'query ($t: String) { note(where: {text: {_eq: $t}}) { text } two { id } }',
  ])('cannot spell a hole: %s', (query) => {
    const statements = served.statements(
      { query, variables: query.includes('$t') ? { t: '{x}' } : {} },
      'user',
      {
        'x-engine-user-id': '1',
      },
    );
    for (const statement of statements) {
      const both = bothTexts(served, statement, 'user')!;
      expect(both.linked).toEqual(both.planned);
    }
    expect(statements).toHaveLength(1);
  });

  test('leave a rule in the text where a hole could not name its table', () => {
    const [statement] = served.statements({ query: '{ two { id } }' }, 'user', { 'x-engine-user-id': '1' });
    expect(savedText(statement!)!.sql).toContain('"owner" = {session.x-engine-user-id::integer}');
  });
});

test('a hole that names nothing is an error of the text', async () => {
  const { url } = await createTestDatabase('create table note (id int primary key);');
  const served = await serveInProcess(url, metadataOf([{ table: 'note' }], {}, url));
  const link = (sql: string) => () => savedStatement({ sql, values: {} }, 'default', 'admin', served.program);
  expect(link('select {select public.note "x"}, {{}}')().text).toBe('select true, {}');
  expect(link('select {select public.nota "x"}')).toThrow('the table public.nota is not served');
  expect(link('select {select public.note "x" through public.note parent}')).toThrow(
    'no relationship parent',
  );
  expect(link('select {$id::integer}')).toThrow('no value for {$id::integer}');
  expect(link('limit {limit public.note 3}')().text).toBe('limit 3');
  expect(link('limit {limit public.note}')).toThrow('the role has no limit for public.note');
  expect(link('{preset insert public.note id}')).toThrow('no insert preset for public.note.id');
  expect(link('select {whatever}')).toThrow('brace that is not doubled');
  const reads = { tables: [{ table: 'public.nota' }] };
  const live = (file: SavedText) => savedSql(file, 'default', 'admin', served.program);
  expect(() => live({ sql: 'select 1', values: {}, reads })).toThrow('the table public.nota is not served');
  expect(readSetOf(live({ sql: 'select 1', values: {} }), []).isUnknown).toBe(true);
  await served.end();
});
