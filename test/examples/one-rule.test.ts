/** What a change of one rule changes in generated code: the rule, its line in the role's ledger, and one hash. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { compile } from '../../compiler/index.ts';
import { readMetadataFile } from '../../compiler/phases/1-read/index.ts';
import type { SourceCatalog } from '../../runtime/catalog/catalog.ts';
import { lineDifference } from '../../runtime/console/line-difference.ts';
import type { Metadata, QueryCollection } from '../../runtime/metadata/metadata.ts';
import { catalogsOf } from '../harness/compile.ts';
import { createTestDatabase } from '../harness/postgres.ts';

const example = (path: string) => fileURLToPath(new URL(`../../examples/helpdesk/${path}`, import.meta.url));
const access = (table: string) => `sources/default/public/${table}.access.ts`;

let metadata: Metadata;
let catalogs: Record<string, SourceCatalog>;
let before: ReadonlyMap<string, string>;

beforeAll(async () => {
  const { url } = await createTestDatabase(readFileSync(example('schema.sql'), 'utf8'));
  const read = readMetadataFile(example('metadata')).value;
  metadata = { ...read, query_collections: read.query_collections.map(withArticles) };
  catalogs = await catalogsOf(metadata, url);
  before = compile({ metadata, catalogs }).files;
});

/** With an operation whose statement has limits of the role `public`: alone, and beside one of the document. */
function withArticles(collection: QueryCollection): QueryCollection {
  if (collection.name !== 'help_center') return collection;
  const articles = { name: 'articles', query: '{ article { title } few: article(limit: 30) { title } }' };
  return { ...collection, definition: { queries: [...collection.definition.queries, articles] } };
}

type Operation = 'select' | 'insert' | 'update' | 'delete';

/** The lines that differ, by file, after a change of a permission. */
function changed(
  name: string,
  role: string,
  operation: Operation,
  change: (permission: Record<string, unknown>) => void,
) {
  const next = structuredClone(metadata) as Metadata;
  const { tables } = next.sources[0]!;
  const owner = tables.find(({ table }) => table.name === name)!;
  const permission = owner[`${operation}_permissions`].find((each) => each.role === role)!;
  change(permission.permission as unknown as Record<string, unknown>);
  const { files } = compile({ metadata: next, catalogs });
  return Object.fromEntries(
    [...files].flatMap(([path, text]) => {
      const lines = lineDifference(before.get(path) ?? '', text).split('\n');
      const differing = lines
        .filter((line) => /^[-+]/.test(line))
        .map((line) => line.replace(/^([-+])\s*/, '$1 '));
      return differing.length > 0 ? [[path, differing]] : [];
    }),
  );
}

/** The hash of a file, before and after. */
const hash = (path: string) =>
  ['-', '+'].map((mark) =>
    expect.stringMatching(new RegExp(`^\\${mark} "${path.replaceAll('.', '\\.')}": `)),
  );

test('a row rule is its text, its words and a hash; saved statements name it', () => {
  const differences = changed('ticket', 'customer', 'update', (permission) => {
    permission.filter = { customer_id: { _eq: 'X-Engine-User-Id' }, status: { _in: ['open'] } };
  });
  const [rule, words] = [
    `{row}."customer_id" = {session.x-engine-user-id::integer} and {row}."status"`,
    'update where customer_id = X-Engine-User-Id and status',
  ];
  expect(differences).toEqual({
    'manifest.json': hash(access('ticket')),
    'roles/customer.txt': [`- ${words} <> "closed"`, `+ ${words} in ("open")`],
    [access('ticket')]: [`- where: \`${rule} <> 'closed'\`,`, `+ where: \`${rule} in ('open')\`,`],
  });
});

test('so is a check', () => {
  const differences = changed('ticket', 'customer', 'update', (permission) => {
    permission.check = { status: { _in: ['closed'] } };
  });
  expect(differences).toEqual({
    'manifest.json': hash(access('ticket')),
    'roles/customer.txt': [
      '- update check status in ("open", "closed")',
      '+ update check status in ("closed")',
    ],
    [access('ticket')]: [
      `- check: \`{row}."status" in ('open', 'closed')\`,`,
      `+ check: \`{row}."status" in ('closed')\`,`,
    ],
  });
});

test('a column is in the line of its list, and in the line of the ledger', () => {
  const differences = changed('ticket', 'customer', 'select', (permission) => {
    permission.columns = [...(permission.columns as string[]), 'channel'];
  });
  expect(differences).toEqual({
    'manifest.json': hash(access('ticket')),
    'roles/customer.txt': [
      '- select columns created_at, id, solved_at, status, subject, updated_at',
      '+ select columns channel, created_at, id, solved_at, status, subject, updated_at',
    ],
    [access('ticket')]: [
      '- columns: ["id", "subject", "status", "created_at", "updated_at", "solved_at"],',
      '+ columns: ["id", "subject", "status", "channel", "created_at", "updated_at", "solved_at"],',
    ],
  });
});

test('a limit is one line of each; saved statements name it', () => {
  expect(before.get('saved/help_center/articles.ts')).toContain('limit {limit public.article}\n');
  expect(before.get('saved/help_center/articles.ts')).toContain('limit {limit public.article 30}\n');
  const differences = changed('article', 'public', 'select', (permission) => {
    permission.limit = 20;
  });
  expect(differences).toEqual({
    'manifest.json': hash(access('article')),
    'roles/public.txt': ['- select limit 50', '+ select limit 20'],
    [access('article')]: ['- limit: 50,', '+ limit: 20,'],
  });
});

test('a preset is one line of each; saved statements name it', () => {
  const differences = changed('ticket', 'customer', 'insert', (permission) => {
    permission.set = { ...(permission.set as object), channel: 'portal' };
  });
  expect(differences).toEqual({
    'manifest.json': hash(access('ticket')),
    'roles/customer.txt': ['- insert preset channel = "web"', '+ insert preset channel = "portal"'],
    [access('ticket')]: ["- channel: `'web'::text`,", "+ channel: `'portal'::text`,"],
  });
});
