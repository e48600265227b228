/** What is written in a generated file is checked when it is type-checked and when it is loaded, and is what runs. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkTypes } from '../../../../compiler/cli/type-check.ts';
import { linkProgram } from '../../../../runtime/core/program/program.ts';
import { createLoader } from '../../../../runtime/program/loader.ts';
import { type InProcess, serveInProcess } from '../../../harness/in-process.ts';
import { metadataOf } from '../../../harness/metadata.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/postgres.ts';
import { compileJson, metadataJson } from '../../../harness/project.ts';

const COMPILED = compileJson(
  metadataJson({
    select_permissions: [
      {
        role: 'user',
        permission: {
          columns: ['id', 'title'],
          filter: { is_published: { _eq: true }, author: { name: { _eq: 'X-Engine-User-Name' } } },
          query_root_fields: ['select'],
        },
      },
      { role: 'guest', permission: { columns: ['id'], filter: { mood: { _in: ['happy', 'sad'] } } } },
    ],
    insert_permissions: [
      { role: 'guest', permission: { columns: ['title'], check: {}, set: { mood: 'sad' } } },
      { role: 'user', permission: { columns: ['title'], check: {}, set: { author_id: 'X-Engine-User-Id' } } },
    ],
  }),
).files;

const ACCESS = 'sources/default/public/article.access.ts';
const TABLE = 'sources/default/public/article.table.ts';

/** Lists the root fields of queries, as a person does who edits one of them. */
function listed(text: string): string {
  return text.replace(
    'standardFields("article")',
    `{
  ...standardFields("article"),
  query: { article: "select", article_by_pk: "select_by_pk", article_aggregate: "select_aggregate" },
}`,
  );
}

const FILES: ReadonlyMap<string, string> = new Map(COMPILED).set(TABLE, listed(COMPILED.get(TABLE)!));

function edit(path: string, snippet: string, replacement: string): ReadonlyMap<string, string> {
  const text = FILES.get(path)!;
  expect(text).toContain(snippet);
  return new Map(FILES).set(path, text.replace(snippet, replacement));
}

async function load(files: ReadonlyMap<string, string>): Promise<void> {
  linkProgram(await createLoader().load(files), { inferFunctionPermissions: true });
}

test('the files as they are pass both', async () => {
  expect(checkTypes(FILES)).toEqual([]);
  await load(FILES);
});

/** [what is misspelt, file, before, after, what tsc says, what the loader says] */
const MISSPELT: readonly (readonly [string, string, string, string, string, string])[] = [
  ['a column', ACCESS, '"title"', '"titel"', '"titel"', 'select.user.columns: there is no column "titel"'],
  [
    'a column of the row in a rule',
    ACCESS,
    '{row}."is_published"',
    '{row}."is_publishd"',
    'no column is_publishd',
    'select.user.where: there is no column "is_publishd"',
  ],
  [
    'a preset',
    ACCESS,
    'author_id: `',
    'autor_id: `',
    'no column autor_id',
    'insert.user.presets: there is no column "autor_id"',
  ],
  [
    'the cast of a session variable',
    ACCESS,
    'x-engine-user-id::integer}',
    'x-engine-user-id::integr}',
    'integr is not a type',
    'insert.user.presets.author_id: "integr" is not a type',
  ],
  [
    'a part of a rule',
    ACCESS,
    'presets:',
    'preset:',
    'a rule of insert has no preset',
    'insert.guest: there is no part of a rule "preset"',
  ],
  [
    'a column of a relationship',
    TABLE,
    'columns: { author_id: "id" }',
    'columns: { autor_id: "id" }',
    'no column autor_id',
    'relationships.author: there is no column "autor_id"',
  ],
  ['a kind of root field', TABLE, '"select_by_pk"', '"select_by_key"', '"select_by_key"', 'select_by_key'],
  [
    'a column of a key',
    TABLE,
    'columns: ["id"]',
    'columns: ["idd"]',
    '"idd"',
    'primaryKey: there is no column "idd"',
  ],
  [
    'the table of a relationship',
    TABLE,
    'target: "public.author"',
    'target: "public.autor"',
    'public.autor',
    'public.article: relationships.author: there is no table "public.autor"',
  ],
  [
    'the type of a column',
    TABLE,
    '"public.mood"',
    '"public.moods"',
    'public.moods is not a type of the source',
    'columns.mood: there is no type "public.moods"',
  ],
  [
    'a value of an enum in a list',
    ACCESS,
    "'sad')",
    "'said')",
    'no value said',
    'public.article: select.guest: there is no value of mood "said"',
  ],
  [
    'a value of an enum that is preset',
    ACCESS,
    "mood: `'sad'",
    "mood: `'said'",
    'no value said',
    'public.article: insert.guest.presets: there is no value of mood "said"',
  ],
  [
    'an alias',
    ACCESS,
    '"_r1"."name"',
    '"_r2"."name"',
    'no alias _r2',
    'select.user.where: there is no alias "_r2"',
  ],
  [
    'a root field of a role',
    ACCESS,
    'queryRoots: ["select"]',
    'queryRoots: ["selects"]',
    '"selects"',
    'select.user.queryRoots: there is no kind of root field "selects"',
  ],
];

const EDITED = MISSPELT.map(([, path, snippet, replacement]) => edit(path, snippet, replacement));

/** All of them in one check, each in a folder of its own. */
const errors = checkTypes(
  new Map(EDITED.flatMap((files, index) => [...files].map(([path, text]) => [`${index}/${path}`, text]))),
);

test.each(MISSPELT.map((row, index) => [row[0], index] as const))(
  '%s that is misspelt is an error of tsc and of the loader',
  async (_, index) => {
    const [, , , , type, loader] = MISSPELT[index]!;
    const own = errors.filter(({ file }) => file.startsWith(`${index}/`));
    expect(own.map(({ message }) => message).join('\n')).toContain(type);
    await expect(load(EDITED[index]!)).rejects.toThrow(loader);
  },
);

test('what a rule misspells at the head of its file is an error of tsc and of the loader', async () => {
  const words = ['draft', 'final', 'late', 'new'].map((word) => ({ title: { _eq: `${word} of somebody` } }));
  const filter = { _or: words };
  const { files } = compileJson(
    metadataJson({
      select_permissions: [{ role: 'user', permission: { columns: ['id'], filter } }],
      delete_permissions: [{ role: 'user', permission: { filter } }],
    }),
  );
  const text = files.get(ACCESS)!;
  expect(text.split('userSelect')).toHaveLength(4);
  const edited = new Map(files).set(ACCESS, text.replace('{row}."title"', '{row}."titel"'));
  expect(checkTypes(files)).toEqual([]);
  expect(checkTypes(edited).map(({ message }) => message)).toEqual([
    expect.stringContaining('no column titel'),
    expect.stringContaining('no column titel'),
  ]);
  await expect(load(edited)).rejects.toThrow('select.user.where: there is no column "titel"');
});

test('a table of an earlier compiler, whose hash has another name, is not loaded', async () => {
  const edited = edit(TABLE, '  primaryKey:', '  definition: "0",\n  primaryKey:');
  await expect(load(edited)).rejects.toThrow(
    `${TABLE}: article is from another version of Engine: its hash is called \`definition\`, not \`bodyHash\`. Compile again with this one`,
  );
});

test('a column of another table that a rule misspells is an error of the loader', async () => {
  await expect(load(edit(ACCESS, '"_r1"."name"', '"_r1"."nam"'))).rejects.toThrow(
    'public.article: select.user: there is no column of public.author "nam"',
  );
});

/** The same for the example, which has enum tables and a function. */
const TICKET = 'sources/default/public/ticket';
const SEARCH = 'sources/default/functions/search_articles.ts';
const MISSPELT_THERE = [
  [
    'a value of an enum table',
    `${TICKET}.access.ts`,
    "<> 'closed'",
    "<> 'close'",
    'no value close',
    'public.ticket: update.customer: there is no value of status "close"',
  ],
  [
    'an enum table',
    `${TICKET}.table.ts`,
    'enumTable: "public.ticket_status"',
    'enumTable: "public.ticket_stat"',
    'no table public.ticket_stat',
    'public.ticket: columns.status: there is no table "public.ticket_stat"',
  ],
  [
    'the table of a function',
    SEARCH,
    'table: "public.article"',
    'table: "public.articles"',
    'no table public.articles',
    'public.search_articles: returns: there is no table "public.articles"',
  ],
  [
    'a relationship of a fact',
    `${TICKET}.access.ts`,
    'customer: "',
    'customr: "',
    'no relationship customr',
    'select.customer.implies: there is no relationship "customr"',
  ],
  [
    'the type of an argument',
    SEARCH,
    'type: "text"',
    'type: "public.text"',
    'public.text is not a type of the source',
    'search_articles: arguments[0]: there is no type "public.text"',
  ],
] as const;

test.each(MISSPELT_THERE)(
  '%s that is misspelt in the example',
  async (_, path, before, after, type, loader) => {
    const helpdesk = generatedFiles();
    const edited = new Map(helpdesk).set(path, helpdesk.get(path)!.replace(before, after));
    expect(
      checkTypes(edited)
        .map(({ message }) => message)
        .join('\n'),
    ).toContain(type);
    await expect(load(edited)).rejects.toThrow(loader);
  },
);

test('the example as it is passes both', async () => {
  expect(checkTypes(generatedFiles())).toEqual([]);
  await load(generatedFiles());
});

/** The committed files of the example. */
function generatedFiles(): Map<string, string> {
  const root = new URL('../../../../generated/', import.meta.url);
  return new Map(
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => [path.replaceAll('\\', '/'), readFileSync(new URL(path, root), 'utf8')]),
  );
}

describe('what the files say runs', () => {
  let database: TestDatabase;
  const served: InProcess[] = [];
  beforeAll(async () => {
    database = await createTestDatabase(`
      create table article (id int primary key, title text not null);
      insert into article values (1, 'one'), (2, 'two'), (3, 'three');
    `);
  });
  afterAll(async () => {
    await Promise.all(served.map((each) => each.end()));
    await database.drop();
  });

  type Edit = readonly [snippet: string, replacement: string];
  const serve = async (path: string, ...edits: readonly Edit[]): Promise<InProcess> => {
    const metadata = metadataOf(
      [
        {
          table: 'article',
          select_permissions: [
            { role: 'user', permission: { columns: ['id', 'title'], filter: { id: { _gt: 1 } } } },
          ],
        },
      ],
      {},
      database.url,
    );
    const started = await serveInProcess(database.url, metadata, createLoader(), {
      edit: (files) => {
        let text = listed(files.get(path)!);
        for (const [snippet, replacement] of edits) {
          expect(text).toContain(snippet);
          text = text.replace(snippet, replacement);
        }
        return new Map(files).set(path, text);
      },
    });
    served.push(started);
    return started;
  };
  const ids = async (api: InProcess, field = 'article') => {
    const { data } = JSON.parse(await api.answer({ query: `{ ${field} { id } }` }, 'user'));
    return data[field].map(({ id }: { readonly id: number }) => id);
  };

  test('a rule', async () => {
    const api = await serve(ACCESS, ['{row}."id" > 1', '{row}."id" > 2']);
    expect(await ids(api)).toEqual([3]);
  });

  test('the name of a root field', async () => {
    const api = await serve(TABLE, ['article: "select"', 'pieces: "select"']);
    expect(await ids(api, 'pieces')).toEqual([2, 3]);
    await expect(ids(api)).rejects.toThrow("field 'article' not found");
  });

  test('the kind of a root field', async () => {
    const api = await serve(TABLE, ['article_by_pk: "select_by_pk"', 'article_by_pk: "select"']);
    expect(await ids(api, 'article_by_pk')).toEqual([2, 3]);
  });

  const RESOLVER = `article: {
      field: "select",
      resolve: (call) => selectRows(call, { title: { _in: ["one", "two"] }, _not: { id: { _gt: 2 } } }),
    }`;
  const IMPORT = 'import { type Row, selectRows, standardFields, table';

  test('a resolver written by hand, within the rule of the role', async () => {
    const api = await serve(
      TABLE,
      ['import { type Row, standardFields, table', IMPORT],
      ['article: "select"', RESOLVER],
    );
    expect(await ids(api)).toEqual([2]);
  });

  test('no lookup by key goes around a resolver written by hand', async () => {
    const byHand = `article_by_pk: {
      field: "select_by_pk",
      resolve: (call) => selectRows(call, { id: { _gt: 2 } }),
    }`;
    const query = `query ($id: ID!) { node(id: $id) { ... on article { title } } }`;
    const id = Buffer.from(JSON.stringify([1, 'public', 'article', 2])).toString('base64');
    const node = (api: InProcess) => api.answer({ query, variables: { id }, relay: true }, 'user');
    expect(await node(await serve(TABLE))).toBe('{"data":{"node":{"title":"two"}}}');
    const edits: Edit[] = [
      ['import { type Row, standardFields, table', IMPORT],
      ['article_by_pk: "select_by_pk"', byHand],
    ];
    await expect(node(await serve(TABLE, ...edits))).rejects.toThrow(
      'no node is of the table public.article',
    );
  });

  test('a resolver written by hand is typed by its table', () => {
    const own = (text: string) =>
      new Map(FILES).set(
        TABLE,
        FILES.get(TABLE)!
          .replace('import { type Row, standardFields, table', IMPORT)
          .replace('article: "select"', text),
      );
    expect(checkTypes(own(RESOLVER))).toEqual([]);
    expect(checkTypes(own(RESOLVER.replace('title:', 'titel:')))[0]!.message).toContain('titel');
    expect(checkTypes(own(RESOLVER.replace('_gt: 2', '_gt: "2"')))[0]!.message).toContain('string');
    const asking = (name: string) =>
      own(RESOLVER.replace('selectRows(call', `selectRows(call.args.get("${name}") ? call : call`));
    for (const name of ['order_by', 'orderBy']) expect(checkTypes(asking(name))).toEqual([]);
    expect(checkTypes(asking('order'))[0]!.message).toContain('"order"');
  });
});
