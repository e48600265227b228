/** What only follows from something else is told below it, whatever the form of the report. */
import { beforeAll, describe, expect, test } from 'vitest';
import { compile } from '../../../../compiler/index.ts';
import { readMetadata } from '../../../../compiler/phases/1-read/index.ts';
import { renderAnnotations } from '../../../../compiler/review/findings/annotations.ts';
import { renderDiagnostics } from '../../../../compiler/review/findings/render.ts';
import { findingsOf, renderSarif } from '../../../../compiler/review/findings/sarif.ts';
import type { SourceCatalog } from '../../../../runtime/catalog/catalog.ts';
import { causesFirst, groupByCause, linkCauses } from '../../../../runtime/core/diagnostics/causes.ts';
import type { Diagnostic } from '../../../../runtime/core/diagnostics/diagnostic.ts';
import { catalogsOf } from '../../../harness/compile.ts';
import { defaultSource } from '../../../harness/metadata.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';

const SQL = `
  create table author (id int primary key, name text);
  create table article (id int primary key, author_id int references author, title text);
  create function found(term text) returns setof article stable language sql as 'select * from article';
  create function written(author) returns setof article stable language sql as 'select * from article';
`;

const permission = (filter: object) => ({ role: 'user', permission: { columns: ['id'], filter } });
const author = {
  table: 'author',
  array_relationships: [
    { name: 'articles', using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } } },
  ],
  computed_fields: [{ name: 'written', definition: { function: 'written' } }],
  select_permissions: [permission({ articles: { id: { _gt: 0 } } })],
};
const article = {
  table: 'article',
  object_relationships: [{ name: 'author', using: { foreign_key_constraint_on: 'author_id' } }],
  select_permissions: [permission({})],
};
const rest = {
  functions: [{ function: 'found', permissions: [{ role: 'user' }] }],
};
const empty = defaultSource({ tables: [] }, 'postgres://localhost/none');
const query = (name: string, text: string) => ({ name, query: text });

let catalogs: Record<string, SourceCatalog>;
const found = (
  source: object,
  queries: readonly object[] = [],
  others: object = {},
  given: Parameters<typeof compile>[0]['catalogs'] = catalogs,
) => {
  const metadata = {
    version: 3,
    sources: [{ ...empty, ...source }],
    query_collections: [{ name: 'all', definition: { queries } }],
    ...others,
  };
  return compile({ metadata: readMetadata(metadata).value, catalogs: given }).diagnostics;
};
/** Code of each cause, with the codes of what follows from it. */
const grouped = (diagnostics: readonly Diagnostic[]) =>
  groupByCause(diagnostics).map(({ diagnostic, consequences }) => [
    diagnostic.code,
    consequences.map(({ code }) => code),
  ]);

beforeAll(async () => {
  const database = await createTestDatabase(SQL);
  catalogs = await catalogsOf(readMetadata({ version: 3, sources: [empty] }).value, database.url);
});

describe('what follows', () => {
  test('from a source without a catalog: the queries of its tables, functions and namespace, and no others', () => {
    const queries = [
      query('rows', '{ author { id } }'),
      query('write', 'mutation { delete_article(where: {}) { affected_rows } }'),
      query('call', '{ found(args: {term: "a"}) { id } }'),
      query('typing error', '{ autor { id } }'),
    ];
    const source = { tables: [author, article], ...rest };
    expect(grouped(found(source, queries, {}, { default: { error: 'refused' } }))).toEqual([
      ['source-unreachable', ['saved-query-invalid', 'saved-query-invalid', 'saved-query-invalid']],
      ['saved-query-invalid', []],
    ]);
    const customization = { root_fields: { namespace: 'blog' } };
    const below = [query('rows', '{ blog { author { id } } }')];
    expect(
      grouped(found({ ...source, customization }, below, {}, { default: { error: 'refused' } })),
    ).toEqual([['source-unreachable', ['saved-query-invalid']]]);
  });

  test('from a table that is not tracked: everything that leads there', () => {
    const queries = [query('rows', '{ article { id } }'), query('there', '{ author { articles { id } } }')];
    const [cause, ...others] = grouped(found({ tables: [author], ...rest }, queries));
    expect(others).toEqual([]);
    expect(cause).toEqual([
      'table-not-tracked',
      [
        'computed-field-invalid',
        'table-not-tracked',
        'expression-field-missing',
        'saved-query-invalid',
        'saved-query-invalid',
      ],
    ]);
  });

  test('from a table that is left out', () => {
    const broken = { ...article, configuration: { column_config: { titel: { custom_name: 'x' } } } };
    const [cause, ...others] = grouped(found({ tables: [author, broken], ...rest }));
    expect(others).toEqual([]);
    expect(cause).toMatchObject(['column-configuration-without-column', { length: 4 }]);
  });

  test('from a permission that is left out: calls of functions, and what the allow-list refuses', () => {
    const refused = { ...article, select_permissions: [permission({ nobody: {} })] };
    const lists = { allowlist: [{ collection: 'all', scope: { global: false, roles: ['user'] } }] };
    const queries = [query('rows', '{ article { id } }')];
    expect(grouped(found({ tables: [author, refused], ...rest }, queries, lists))).toEqual([
      ['expression-field-missing', ['function-permission-without-select', 'allowed-query-refused']],
    ]);
  });

  test('from an action that is left out: the queries that call it', () => {
    const actions = [
      {
        name: 'login',
        definition: { handler: 'http://localhost', output_type: 'Nothing', kind: 'synchronous' },
      },
    ];
    const queries = [query('login', 'mutation { login }')];
    expect(grouped(found({ tables: [article] }, queries, { actions }))).toContainEqual([
      'action-output-type-unknown',
      ['saved-query-invalid'],
    ]);
  });

  test('from nothing: mistakes of the same kind each stand for themselves', () => {
    const queries = [query('one', '{ autor { id } }'), query('two', '{ autor { id } }')];
    expect(grouped(found({ tables: [author, article], ...rest }, queries))).toEqual([
      ['saved-query-invalid', []],
      ['saved-query-invalid', []],
    ]);
  });
});

describe('reports', () => {
  const place = (line: number) => ({ file: 'a.yaml', line, column: 1 });
  const linked = linkCauses([
    { code: 'second', severity: 'error', message: 'B.', path: ['b'], location: place(2), missed: 'x' },
    { code: 'third', severity: 'warning', message: 'C.', path: ['c'], missed: 'y' },
    { code: 'first', severity: 'error', message: 'A.', path: ['a'], location: place(1), lost: ['x'] },
    { code: 'first', severity: 'error', message: 'Again.', path: ['a'], missed: 'z', lost: ['y'] },
    { code: 'fourth', severity: 'error', message: 'D.', path: ['d'], missed: 'w', lost: ['z'] },
    { code: 'fifth', severity: 'error', message: 'E.', path: ['e'], missed: 'z', lost: ['w'] },
  ]);
  const describePath = (path: Diagnostic['path']) => path.join('.');

  test('keep every diagnostic, whatever they say of each other', () => {
    expect(
      causesFirst(linked)
        .map(({ message }) => message)
        .sort(),
    ).toEqual(['A.', 'Again.', 'B.', 'C.', 'D.', 'E.'].sort());
    expect(linked[0]!.because).toEqual({ code: 'first', path: ['a'], location: place(1) });
  });

  test('for people: below the cause, a line each', () => {
    expect(renderDiagnostics(linked.slice(0, 3), describePath)).toBe(
      'warning third  c\n  C.\n\n' +
        'first  a  a.yaml:1:1\n  A.\n  What follows from it:\n    second  b  a.yaml:2:1\n\n',
    );
  });

  test('for code hosts: after the causes, with the place of their own', () => {
    const findings = findingsOf(linked.slice(0, 3), describePath);
    expect(renderAnnotations(findings).split('\n')[2]).toBe(
      '::error file=a.yaml,line=2,col=1,title=second::B.%0AFollows from first (a).%0Ab',
    );
    const [, , last] = JSON.parse(renderSarif(findings, [], '1')).runs[0].results;
    expect(last).toMatchObject({
      ruleId: 'second',
      message: { text: 'B.\nFollows from [first](1).' },
      relatedLocations: [{ id: 1, physicalLocation: { region: { startLine: 1 } } }],
    });
  });
});
