import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { run } from '../../../../compiler/cli/cli.ts';
import { writeFolder } from '../../../../compiler/cli/output-folder.ts';
import { diffCode } from '../../../../compiler/review/audit/diff.ts';
import { diffFindings, diffMarkdown, diffText } from '../../../../compiler/review/audit/diff-render.ts';
import { readTexts } from '../../../../compiler/review/generated-code/index.ts';
import { catalog, compileJson, metadataJson } from '../../../harness/project.ts';

const OWN = { author_id: 'X-Engine-User-Id' };
const SELECT = { columns: ['id', 'title'], filter: OWN, limit: 20 };

function article(select: object | undefined, more: object = {}, document: object = {}) {
  return metadataJson(
    { ...(select && { select_permissions: [{ role: 'user', permission: select }] }), ...more },
    document,
  );
}

function code(json: object, label: string) {
  const { files, diagnostics } = compileJson(json);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return readTexts({ label, folder: label, files });
}

function diff(before: object, after: object) {
  return diffCode(code(before, 'base'), code(after, 'head'));
}

/** `verdict subject: text`, without the place. */
function told(before: object, after: object): string[] {
  return diff(before, after).findings.map(({ verdict, subject, text }) => `${verdict} ${subject}: ${text}`);
}

const update = (permission: object) => ({ update_permissions: [{ role: 'user', permission }] });
const insert = (permission: object) => ({ insert_permissions: [{ role: 'user', permission }] });

test('code that did not change gives nothing to anybody', () => {
  const result = diff(article(SELECT), article(SELECT));
  expect(result.findings).toEqual([]);
  expect(diffText(result)).toContain('base → head\nNothing differs in what was compared.\n\n');
  expect(diffText(result).replaceAll('\n', ' ')).toContain(
    'Not compared: rows (those of tables that decide, too; a table that was dropped and made anew has others), privileges',
  );
});

// Leaks as they happened to others.

test('a rule that gets an _or without a session variable is wider', () => {
  const head = { ...SELECT, filter: { _or: [OWN, { is_published: true }] } };
  const result = diff(article(SELECT), article(head));
  expect(result.findings).toEqual([
    {
      verdict: 'wider',
      subject: 'rows',
      role: 'user',
      source: 'default',
      table: 'public.article',
      operation: 'select',
      text: 'the row rule is wider',
      before: 'author_id = X-Engine-User-Id',
      after: 'author_id = X-Engine-User-Id or is_published = true',
      place: { file: 'head/sources/default/public/article.access.ts', line: 7, column: 11 },
    },
  ]);
});

test('a column that comes by * is wider, though nobody touched the permission', () => {
  const before = article({ ...SELECT, columns: ['id', 'title'] });
  const after = article({ ...SELECT, columns: '*' });
  expect(told(before, after)).toEqual([
    'wider columns: may now read author_id, editor_id, subtitle, rating, price, mood, code, place, tags, meta, is_published, published_on',
  ]);
});

test('an ownership column that can be rewritten is wider, and so is a check that is gone', () => {
  const before = article(SELECT, update({ columns: ['title'], filter: OWN, check: OWN }));
  const after = article(SELECT, update({ columns: ['title', 'author_id'], filter: OWN, check: null }));
  expect(told(before, after)).toEqual([
    'wider columns: may now update author_id',
    'wider rows: the check is wider',
  ]);
});

test('a preset that becomes a choice of the client is wider, another value is undecidable', () => {
  const preset = (set: object, columns: readonly string[]) =>
    article(SELECT, insert({ columns, check: {}, set }));
  expect(told(preset(OWN, ['title']), preset({}, ['title', 'author_id']))).toEqual([
    'wider columns: may now insert author_id',
    'wider rows: author_id is no longer set by the server: clients choose it',
  ]);
  expect(told(preset(OWN, ['title']), preset({ author_id: 'X-Engine-Other' }, ['title']))).toEqual([
    'undecidable rows: author_id is set to something else',
  ]);
});

test('limits, aggregates, trusted callers, whole permissions', () => {
  expect(told(article(SELECT), article({ ...SELECT, limit: 5 }))).toEqual([
    'narrower rows: the limit changed',
  ]);
  expect(told(article(SELECT), article({ columns: ['id', 'title'], filter: OWN }))).toEqual([
    'wider rows: the limit changed',
  ]);
  expect(told(article(SELECT), article({ ...SELECT, allow_aggregations: true }))).toEqual([
    'wider operations: may now aggregate rows',
  ]);
  const trusted = insert({ columns: ['title'], check: {}, backend_only: true });
  expect(told(article(SELECT, trusted), article(SELECT, insert({ columns: ['title'], check: {} })))).toEqual([
    'wider operations: callers need not be trusted any more',
  ]);
  expect(told(article(SELECT), article(undefined))).toEqual([
    'narrower operations: may no longer read public.article',
  ]);
  expect(told(article(undefined), article(SELECT))).toEqual([
    'wider operations: may now read public.article: id, title',
  ]);
});

test('rows that may be read but were not reached are reached by a relationship', () => {
  const hidden = {
    columns: ['id', 'title'],
    filter: {},
    query_root_fields: [],
    subscription_root_fields: [],
  };
  const authors = (permissions: readonly object[]) => {
    const json = article(hidden) as {
      sources: { tables: { table: string; select_permissions?: readonly object[] }[] }[];
    };
    json.sources[0]!.tables.find(({ table }) => table === 'author')!.select_permissions = permissions;
    return json;
  };
  expect(told(authors([]), authors([{ role: 'user', permission: { columns: ['id'], filter: {} } }]))).toEqual(
    [
      'wider columns: may now learn author_id by article.author.id',
      'wider columns: may now learn editor_id by article.editor.id',
      'wider operations: rows that no field led to are reached by author.articles',
      'wider operations: may now read public.author: id',
    ],
  );
});

test('rows that may be read but were not reached are reached by an answer of an action', () => {
  const select = { columns: ['id'], filter: {}, query_root_fields: [], subscription_root_fields: [] };
  const leading = { name: 'article', type: 'object', remote_table: 'article', field_mapping: { id: 'id' } };
  const actions = (relationships: readonly object[]) =>
    article(
      select,
      {},
      {
        actions: [
          {
            name: 'newest',
            definition: { type: 'query', output_type: 'Newest', handler: 'http://handler' },
            permissions: [{ role: 'user' }],
          },
        ],
        custom_types: {
          objects: [{ name: 'Newest', fields: [{ name: 'id', type: 'Int!' }], relationships }],
        },
      },
    );
  expect(told(actions([]), actions([leading]))).toContain(
    'wider operations: rows that no field led to are reached by Newest.article',
  );
});

test('inherited roles: the rows that show a column are compared, too', () => {
  const roles = (filter: object) =>
    metadataJson(
      {
        select_permissions: [
          { role: 'reader', permission: { columns: ['id', 'title'], filter: { is_published: true } } },
          { role: 'author', permission: { columns: ['id', 'price'], filter } },
        ],
      },
      { inherited_roles: [{ role_name: 'both', role_set: ['reader', 'author'] }] },
    );
  const findings = diff(roles(OWN), roles({ ...OWN, is_published: false })).findings.filter(
    ({ role }) => role === 'both',
  );
  expect(findings.map(({ verdict, text }) => `${verdict}: ${text}`)).toContain(
    'narrower: the rows that show price are fewer',
  );
});

test('a resolver that somebody wrote is undecidable', () => {
  const { files } = compileJson(article(SELECT));
  const path = 'sources/default/public/article.table.ts';
  const edited = new Map(files).set(
    path,
    files
      .get(path)!
      .replace(
        'standardFields("article")',
        '{ ...standardFields("article"), query: { article: { field: "select", resolve: (call) => selectRows({ ...call, requester: { role: "admin" } }) }, article_by_pk: "select_by_pk", article_aggregate: "select_aggregate" } }',
      ),
  );
  const head = readTexts({ label: 'head', folder: 'head', files: edited });
  expect(diffCode(code(article(SELECT), 'base'), head).findings).toEqual([
    expect.objectContaining({
      verdict: 'undecidable',
      place: expect.objectContaining({ file: `head/${path}` }),
    }),
    expect.objectContaining({ text: `${path} (edited): it is not as the compiler wrote it` }),
  ]);
});

test('text, Markdown and SARIF say who, what and where', () => {
  const result = diff(article(SELECT), article({ ...SELECT, filter: {}, limit: 5 }));
  expect(diffText(result)).toContain(`base → head
1 wider, 0 changed meaning, 0 undecidable, 0 not wider, 1 narrower.

wider (1)
  user
    public.article, select: the row rule is wider   head/sources/default/public/article.access.ts:7
      - author_id = X-Engine-User-Id
      + every row

narrower (1)
  user
    public.article, select: the limit changed   head/sources/default/public/article.access.ts:7
      - at most 20 rows of a list
      + at most 5 rows of a list
`);
  expect(diffMarkdown(result)).toContain('```diff\n  - author_id = X-Engine-User-Id\n  + every row\n  ```');
  expect(diffFindings(result)[0]).toMatchObject({
    rule: 'access-wider',
    level: 'warning',
    object: 'default · public.article · select · user',
  });
});

test('the exit status is 1 for what --fail-on names', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'engine-diff-'));
  const write = (name: string, json: object) => {
    writeFolder(join(folder, name), compileJson(json).files);
    return join(folder, name);
  };
  const own = write('own', article(SELECT));
  const more = write('more', article({ ...SELECT, filter: {} }));
  const other = write('other', article({ ...SELECT, filter: { editor_id: 'X-Engine-User-Id' } }));
  const status = async (...args: string[]) => {
    let output = '';
    const write = (text: string) => {
      output += text;
    };
    return [
      await run(['audit', 'diff', ...args], { environment: {}, stdout: write, stderr: write }),
      output,
    ] as const;
  };
  expect((await status(own, more))[0]).toBe(1);
  expect((await status(own, more, '--fail-on', 'never'))[0]).toBe(0);
  expect((await status(more, own))[0]).toBe(0);
  expect((await status(own, other))[0]).toBe(1);
  expect((await status(own, other, '--fail-on', 'wider'))[0]).toBe(0);
  // An artefact has the generated code in it.
  write('dist/generated', article({ ...SELECT, filter: {} }));
  expect((await status(own, join(folder, 'dist')))[0]).toBe(1);
  const [, sarif] = await status(own, more, '--format', 'sarif');
  expect(JSON.parse(sarif)).toMatchObject({
    version: '2.1.0',
    runs: [{ results: [{ ruleId: 'access-wider' }] }],
  });
  expect(await status(own, 'no-such-place')).toEqual([
    2,
    'no-such-place is neither a folder nor a revision of git.\n',
  ]);
  rmSync(folder, { recursive: true });
});

test('revisions of git are compared with folders, from wherever in the repository', () => {
  const folder = mkdtempSync(join(tmpdir(), 'engine-diff-git-'));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.org', ...args], { cwd: folder });
  const place = join(folder, 'api/generated');
  git('init', '--quiet');
  writeFolder(place, compileJson(article(SELECT)).files);
  git('add', '.');
  git('commit', '--quiet', '-m', 'base');
  writeFolder(place, compileJson(article({ ...SELECT, filter: {} })).files);
  const bin = fileURLToPath(new URL('../../../../compiler/cli/bin.mjs', import.meta.url));
  const engine = (cwd: string, ...args: string[]) =>
    execFileSync(process.execPath, [bin, 'audit', 'diff', '--fail-on', 'never', ...args], {
      cwd,
      encoding: 'utf8',
    });
  expect(engine(join(folder, 'api'), 'HEAD', 'generated')).toContain(
    'HEAD → generated\n1 wider, 0 changed meaning, 0 undecidable, 0 not wider, 0 narrower.\n\nwider (1)\n',
  );
  expect(engine(folder, 'HEAD:api/generated', 'HEAD', '--folder', 'api/generated')).toContain(
    'Nothing differs in what was compared.',
  );
  expect(() => engine(folder, 'HEAD', 'api/generated')).toThrow(
    'Revision HEAD holds no generated code in generated',
  );
  rmSync(folder, { recursive: true });
});

test.each([
  ['{"a":', 'is not JSON: the text ends too early'],
  ['{"source":"default","objects":{"database":{"facts":{"zone of time":"x"}}}}', 'is from another version'],
])('a description of a database that cannot be read is named: %s', (text, reason) => {
  const path = 'sources/default/database.json';
  const { files } = compileJson(article(SELECT));
  const edited = new Map(files).set(path, text);
  expect(() => readTexts({ label: 'head', folder: 'head', files: edited })).toThrow(
    expect.objectContaining({
      name: 'GeneratedCodeError',
      message: expect.stringMatching(new RegExp(`^${path}.*${reason}`)),
    }),
  );
});

/** Generated code in which a text of the access file of `article` is another, read for an audit. */
function withEdit(json: object, snippet: string, replacement: string) {
  const path = 'sources/default/public/article.access.ts';
  const { files } = compileJson(json);
  const text = files.get(path)!;
  expect(text.split(snippet)).toHaveLength(2);
  const edited = new Map(files).set(
    path,
    text.replace(snippet, () => replacement),
  );
  return readTexts({ label: 'head', folder: 'head', files: edited });
}

const WORDS = ['draft', 'final', 'late', 'new'].map((word) => ({ title: { _eq: `${word} of somebody` } }));
const LONG = { _or: WORDS };
const NAMED = article(
  { ...SELECT, filter: { _and: [OWN, LONG] } },
  update({ columns: ['title'], filter: { _and: [OWN, LONG] } }),
);

test('an edit of a rule that stands once at the head of its file is an edit of each rule that names it', () => {
  const head = withEdit(NAMED, 'and (', 'or (');
  const { findings } = diffCode(code(NAMED, 'base'), head);
  expect(findings.map(({ verdict, text, place }) => `${verdict}: ${text} ${place?.line}`)).toEqual([
    'wider: the row rule is wider 17',
    'wider: the row rule is wider 24',
    'undecidable: sources/default/public/article.access.ts (edited): it is not as the compiler wrote it undefined',
  ]);
});

test.each([
  [
    'a rule is put together from others',
    'userSelect,\n      limit',
    'userSelect + " or true",\n      limit',
    'article.access.ts:19 is not what the compiler writes',
  ],
  [
    'a rule has another value below',
    '\nexport',
    '\nuserSelect = EVERY_ROW;\nexport',
    'article.access.ts:15 is not what the compiler writes',
  ],
  [
    'a rule that its file does not export is imported',
    '\nconst',
    '\nimport { nothing } from "./article.table.ts";\nconst',
    'article.access.ts:5 is not what the compiler writes',
  ],
  [
    'a rule names a column that is not there',
    '"author_id"',
    '"nobody"',
    'article.access.ts:15: select.user.where: there is no column "nobody"',
  ],
])('an audit refuses code in which %s', (_, snippet, replacement, message) => {
  const act = () => withEdit(NAMED, snippet, replacement);
  expect(act).toThrow(expect.objectContaining({ name: 'GeneratedCodeError' }));
  expect(act).toThrow(message);
});

test('a saved operation that asks the table of the same name in another source is reported', () => {
  const select_permissions = [{ role: 'user', permission: { columns: ['id', 'title'], filter: {} } }];
  const tables = [{ table: 'article', select_permissions }];
  const source = (name: string, prefix: string) => ({
    ...{ name, kind: 'postgres', tables },
    configuration: { connection_info: { database_url: { from_env: name.toUpperCase() } } },
    ...(prefix && { customization: { root_fields: { prefix }, type_names: { prefix } } }),
  });
  const queries = [{ name: 'list', query: 'query list { article { title } }' }];
  const version = (east: string, west: string) => {
    const { files, diagnostics } = compileJson(
      {
        version: 3,
        sources: [source('east', east), source('west', west)],
        query_collections: [{ name: 'site', definition: { queries } }],
        allowlist: [{ collection: 'site', scope: { global: false, roles: ['user'] } }],
      },
      { catalogs: { east: catalog, west: catalog } },
    );
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    return readTexts({ label: 'code', folder: 'code', files });
  };
  const { findings } = diffCode(version('', 'other_'), version('other_', ''));
  expect(findings.map(({ verdict, text }) => `${verdict}: ${text}`)).toContain(
    'undecidable: the saved operation site.list has the same text, and now asks public.article of source west (select), shows public.article.title of source west; before it asks public.article of source east (select), shows public.article.title of source east',
  );
});
