/** Facts about relationships in access files, of compiles that follow others: those of a compile without history, after any change. */
import { expect, test } from 'vitest';
import type { CompileResult } from '../../../../compiler/index.ts';
import type { SourceCatalog } from '../../../../runtime/catalog/catalog.ts';
import { linkProgram } from '../../../../runtime/core/program/program.ts';
import { createLoader } from '../../../../runtime/program/loader.ts';
import { leftOutDifference } from '../../../harness/left-out-rules.ts';
import { catalog, compileJson, metadataJson } from '../../../harness/project.ts';

const mine = { author_id: { _eq: 'X-Engine-User-Id' } };
const me = { id: { _eq: 'X-Engine-User-Id' } };

/** Rules of roles, by table; those of articles follow from those of authors, and the other way. */
interface Rules {
  readonly article: Readonly<Record<string, object>>;
  readonly author: Readonly<Record<string, object>>;
}

const RULES: Rules = { article: { user: mine, other: mine }, author: { user: me, other: me } };

type Json = Record<string, unknown>;

function metadata({ article, author }: Rules, columns: Json = { author_id: 'id' }): Json {
  const permissions = (rules: Readonly<Record<string, object>>) => ({
    select_permissions: Object.entries(rules).map(([role, filter]) => ({
      role,
      permission: { columns: ['id'], filter },
    })),
  });
  const manual = { remote_table: 'author', column_mapping: columns };
  const json = metadataJson({
    ...permissions(article),
    object_relationships: [
      { name: 'author', using: { foreign_key_constraint_on: 'author_id' } },
      { name: 'writer', using: { manual_configuration: manual } },
    ],
  }) as { sources: { tables: Json[] }[] };
  Object.assign(json.sources[0]!.tables[1]!, permissions(author));
  return json as unknown as Json;
}

/** The catalog with one table changed. */
function changed(name: string, change: (table: SourceCatalog['tables'][number]) => object): SourceCatalog {
  const tables = catalog.tables.map((table) =>
    table.name === name ? { ...table, ...change(table) } : table,
  );
  return { ...catalog, tables } as SourceCatalog;
}

const typed = (column: string, type: string) => (table: SourceCatalog['tables'][number]) => ({
  columns: table.columns.map((each) =>
    each.name === column ? { ...each, type: { schema: 'pg_catalog', name: type } } : each,
  ),
});

type Input = readonly [json: Json, catalog?: SourceCatalog];

const START: Input = [metadata(RULES)];

/** What changes, and whether facts do. */
const CHANGES: readonly (readonly [string, Input, boolean])[] = [
  ['nothing', [metadata(RULES)], false],
  [
    'the rule of the related table',
    [metadata({ ...RULES, author: { user: { id: { _eq: 3 } }, other: me } })],
    true,
  ],
  [
    'the rule of the related table, for another role',
    [metadata({ ...RULES, author: { user: me, other: {} } })],
    true,
  ],
  [
    'the rule of the table',
    [metadata({ ...RULES, article: { user: { id: { _eq: 3 } }, other: mine } })],
    true,
  ],
  [
    'the rule of the table, to be narrower',
    [metadata({ ...RULES, article: { user: { ...mine, id: { _gt: 3 } }, other: mine } })],
    true,
  ],
  ['the related table has no rule', [metadata({ ...RULES, author: { other: me } })], true],
  [
    'a further role',
    [metadata({ article: { ...RULES.article, new: mine }, author: { ...RULES.author, new: me } })],
    true,
  ],
  ['a role loses its permission', [metadata({ article: { user: mine }, author: { user: me } })], true],
  [
    'roles swap their rules',
    [metadata({ ...RULES, author: { user: { id: { _eq: 3 } }, other: { id: { _eq: 4 } } } })],
    true,
  ],
  ['the columns of a relationship', [metadata(RULES, { editor_id: 'id' })], true],
  ['the kind of the table', [START[0], changed('article', () => ({ kind: 'view' }))], true],
  ['the kind of the related table', [START[0], changed('author', () => ({ kind: 'view' }))], true],
  ['the type of the joined column', [START[0], changed('article', typed('author_id', 'int8'))], true],
  ['the type of the other joined column', [START[0], changed('author', typed('id', 'int8'))], true],
  ['the related table loses its key', [START[0], changed('author', () => ({ primaryKey: undefined }))], true],
  ['a column that no rule names', [START[0], changed('author', typed('name', 'varchar'))], false],
  ['a comment', [START[0], changed('author', () => ({ comment: 'who writes' }))], false],
];

function compileInput([json, of = catalog]: Input, previous?: CompileResult): CompileResult {
  return compileJson(json, { catalogs: { default: of } }, previous);
}

function facts({ programFiles }: CompileResult): string {
  return [...programFiles].flatMap(([, text]) => text.match(/^ +implies: \{[^}]*\}/gm) ?? []).join('\n');
}

test.each(CHANGES)('after a change of: %s', async (_, next, isOther) => {
  const before = compileInput(START);
  expect(facts(before).match(/"\w{32}"/g)).toHaveLength(6);
  for (const [input, previous] of [
    [next, before],
    [START, compileInput(next, before)],
  ] as const) {
    const after = compileInput(input, previous);
    const full = compileInput(input);
    expect(Object.fromEntries(after.programFiles)).toEqual(Object.fromEntries(full.programFiles));
    expect(Object.fromEntries(after.files)).toEqual(Object.fromEntries(full.files));
    const program = linkProgram(await createLoader().load(after.files), { inferFunctionPermissions: true });
    expect(leftOutDifference(program, after.state.plan.ledgers)).toEqual([]);
    expect(facts(after) !== facts(before)).toBe(input === next && isOther);
  }
});
