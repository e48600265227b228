import { expect, test } from 'vitest';
import { diffCode } from '../../../../compiler/review/audit/diff.ts';
import { withDifferingRoles } from '../../../../compiler/review/audit/differing-roles.ts';
import { type GeneratedCode, readTexts } from '../../../../compiler/review/generated-code/index.ts';
import { compileJson, metadataJson } from '../../../harness/project.ts';

const ALL = { columns: ['id', 'title'], filter: {} };
const OWN = { ...ALL, filter: { author_id: 'X-Engine-User-Id' } };

function article(user: object, editor: object, more: object = {}, document: object = {}) {
  const select_permissions = [
    { role: 'user', permission: user },
    { role: 'editor', permission: editor },
  ];
  return metadataJson({ select_permissions, ...more }, document);
}

function code(json: object, label: string, previous?: GeneratedCode): GeneratedCode {
  const { files, diagnostics } = compileJson(json);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return readTexts({ label, folder: label, files }, previous);
}

function rolesOf(before: object, after: object) {
  const base = code(before, 'base');
  return withDifferingRoles(base, code(after, 'head', base)).map(({ roles }) => roles);
}

test('a rule concerns its role alone, whatever the operation', () => {
  const before = article(OWN, OWN);
  expect(rolesOf(before, before)).toEqual([[], []]);
  expect(rolesOf(before, article(OWN, ALL))).toEqual([['editor'], ['editor']]);
  for (const [kind, permission] of [
    ['insert', { columns: ['title'], check: {} }],
    ['update', { columns: ['title'], filter: {} }],
    ['delete', { filter: {} }],
  ] as const) {
    const more = { [`${kind}_permissions`]: [{ role: 'writer', permission }] };
    expect(rolesOf(before, article(OWN, OWN, more)), kind).toEqual([[], ['writer']]);
  }
});

test('what is served beside rules concerns every role', () => {
  const before = article(OWN, OWN);
  const everyone = [
    ['editor', 'user'],
    ['editor', 'user'],
  ];
  const configuration = { custom_column_names: { title: 'heading' } };
  expect(rolesOf(before, article(OWN, OWN, { configuration }))).toEqual(everyone);
  const queries = [{ name: 'titles', query: 'query titles { article { title } }' }];
  const document = { query_collections: [{ name: 'saved', definition: { queries } }] };
  expect(rolesOf(before, article(OWN, OWN, {}, document))).toEqual(everyone);
});

test('files that are the same are read once, and each version has its own places', () => {
  const base = code(article(OWN, OWN), 'base');
  const files = compileJson(article(ALL, OWN)).files;
  const head = readTexts({ label: 'head', folder: 'head', files }, base);
  expect(head.program.tables).toBe(base.program.tables);
  expect(head.accessOf(head.program.tables[0]!)).not.toBe(base.accessOf(base.program.tables[0]!));
  expect(base.locate(base.program.tables[0]!.shape)).toMatchObject({
    file: 'base/sources/default/public/article.table.ts',
  });
  expect(head.locate(head.program.tables[0]!.shape)).toMatchObject({
    file: 'head/sources/default/public/article.table.ts',
  });
  const alone = readTexts({ label: 'head', folder: 'head', files });
  expect(diffCode(base, head)).toEqual(diffCode(base, alone));
  expect(diffCode(base, head).findings).toMatchObject([{ verdict: 'wider', role: 'user' }]);
});
