import { describe, expect, test } from 'vitest';
import { readMetadataFile } from '../../../../compiler/phases/1-read/index.ts';
import { renderDiagnostic } from '../../../../compiler/review/findings/render.ts';
import { eachInFolder } from '../../../harness/folder.ts';

const directory = eachInFolder();

const sources = (tables: string) =>
  `- name: default\n  configuration:\n    connection_info:\n      database_url: {from_env: URL}\n  tables: ${tables}\n`;

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) directory.write(name, text);
}

/** Reads the directory, or the file of that name in it; the complaints as a terminal shows them. */
function read(name = '') {
  const { value, diagnostics, origin } = readMetadataFile(directory.at(name));
  const complaints = diagnostics.map((diagnostic) =>
    renderDiagnostic(diagnostic, origin.describe).replaceAll(`${directory.at()}/`, ''),
  );
  return { value, origin, complaints };
}

test('the answer of export_metadata, with its resource_version, is read as the metadata in it', () => {
  const filter = { owner: { _eq: 'X-Acme-User-Id', _in: ['x-acme-id'] } };
  const table = {
    table: 'note',
    select_permissions: [{ role: 'user', permission: { columns: '*', filter } }],
  };
  const configuration = { connection_info: { database_url: { from_env: 'URL' } } };
  const metadata = { version: 3, sources: [{ name: 'default', tables: [table], configuration }], odd: 1 };
  write({ 'export.json': JSON.stringify({ resource_version: 7, metadata }, null, 2) });
  const { value, complaints } = read('export.json');
  expect(value.sources[0]!.tables.map(({ table: { name } }) => name)).toEqual(['note']);
  expect(complaints).toEqual([
    'warning unknown-key  odd  export.json:38:5\n  Unknown key "odd" is ignored.',
    'warning literal-like-session-variable  sources.default.tables.note.select_permissions.user.permission.filter.owner._eq  export.json:18:23\n' +
      '  "X-Acme-User-Id" is a literal: session variables begin with "x-engine-".\n' +
      '  More literals with such names: 1.\n' +
      '  If the metadata is that of an engine whose word is "acme", give --vocabulary acme.',
  ]);
});

test('presets of remote schemas that look like session variables of another word are reported', () => {
  const schema = 'type Query { mine(owner: String @preset(value: "x-acme-user-id")): String }';
  const remote_schemas = [
    {
      name: 'far',
      definition: { url: 'http://far' },
      permissions: [{ role: 'user', definition: { schema } }],
    },
  ];
  write({ 'metadata.json': JSON.stringify({ version: 3, sources: [], remote_schemas }) });
  expect(read('metadata.json').complaints).toEqual([
    expect.stringMatching(
      /^warning literal-like-session-variable {2}remote_schemas\.far\.permissions\.user\.definition\.schema/,
    ),
  ]);
});

describe('one YAML file', () => {
  test('is read like JSON, with its places', () => {
    write({ 'metadata.yaml': 'version: 2\ntables:\n  - table: note\n    select_permisions: []\n' });
    const { value, complaints } = read('metadata.yaml');
    expect(value.sources[0]!.tables.map(({ table }) => table.name)).toEqual(['note']);
    expect(complaints).toEqual([expect.stringMatching(/^table-keys-unexpected .* metadata\.yaml:4:5\n/)]);
  });

  test.each([
    ['that is not there', undefined, 'there is no such file or directory'],
    ['that is empty', '', 'encountered Null'],
    ['that is no YAML', 'tables: [', 'metadata.yaml:'],
  ])('%s is reported', (_, text, expected) => {
    if (text !== undefined) write({ 'metadata.yaml': text });
    const { value, complaints } = read('metadata.yaml');
    expect(value.sources).toEqual([]);
    expect(complaints).toEqual([expect.stringContaining(expected)]);
  });
});

describe('a directory', () => {
  test('includes by tag and by text, nested and relative; other targets than .yaml are text', () => {
    write({
      'version.yaml': 'version: 3\n',
      'databases/databases.yaml': sources('!include default/tables/tables.yaml'),
      'databases/default/tables/tables.yaml':
        '- "!include one.yaml"\n- !include deep/two.yaml\n- table: three\n',
      'databases/default/tables/one.yaml': 'table: {schema: s, name: one}\n',
      'databases/default/tables/deep/two.yaml': 'table: two\n',
      'query_collections.yaml':
        '- name: c\n  definition:\n    queries:\n      - name: q\n        query: "!include q/q.graphql"\n',
      'q/q.graphql': 'query q { a }\n',
    });
    const { value, complaints } = read();
    expect(complaints).toEqual([]);
    expect(value.sources[0]!.tables.map(({ table }) => table.name)).toEqual(['one', 'two', 'three']);
    expect(value.query_collections[0]!.definition.queries).toEqual([{ name: 'q', query: 'query q { a }\n' }]);
  });

  test('is read by the rules of YAML 1.2', () => {
    write({
      'version.yaml': 'version: 3',
      'databases/databases.yaml': sources(
        '[{table: on, insert_permissions: [{role: no, permission: {check: {yes: {_eq: off}}, columns: [y, n], set: {a: 010, b: ~}}}]}]',
      ),
    });
    const { value, complaints } = read();
    expect(complaints).toEqual([]);
    expect(value.sources[0]!.tables[0]).toMatchObject({
      table: { name: 'on' },
      insert_permissions: [
        {
          role: 'no',
          permission: { check: { yes: { _eq: 'off' } }, columns: ['y', 'n'], set: { a: 10, b: null } },
        },
      ],
    });
  });

  test('may use anchors, and aliases of aliases do not grow without end: the first one too many is reported', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 40; level++)
      lines.push(`a${level}: &a${level} [*a${level - 1}, *a${level - 1}]`);
    write({
      'version.yaml': 'version: 3',
      'databases/databases.yaml': '[]',
      'backend_configs.yaml': lines.join('\n'),
    });
    const { value, complaints } = read();
    expect(complaints).toEqual([
      'metadata-yaml-invalid  backend_configs.a16[0]  backend_configs.yaml:17:12\n' +
        '  This is not YAML: its aliases stand for more than 1000000 values.',
    ]);
    expect(value.backend_configs).toMatchObject({ a1: [['x'], ['x']].map(() => Array(10).fill('x')) });
  });

  test.each([
    ['a value', 'a: &a [1, *a]', 'a[1]', '1:11'],
    ['a key of its own', 'a: &a\n  b: {c: *a}', 'a.b.c', '2:7'],
    ['two values, in turn', 'a: &a\n  b: &b {c: *a, d: *b}', 'a.b.c', '2:10'],
  ])('an alias within its own anchor is an error of the file: %s', (_, text, path, position) => {
    write({ 'version.yaml': 'version: 3', 'databases/databases.yaml': '[]', 'backend_configs.yaml': text });
    const [complaint] = read().complaints;
    expect(complaint).toBe(
      `metadata-yaml-invalid  backend_configs.${path}  backend_configs.yaml:${position}\n` +
        '  This is not YAML: the alias *a stands for a value that contains the alias.',
    );
  });

  test('in the flat layout of version 2 is one source', () => {
    write({
      'version.yaml': 'version: 2',
      'tables.yaml': '- table: {schema: public, name: article}\n  select_permisions: []\n',
      'functions.yaml': '- function: search\n',
    });
    const { value, complaints } = read();
    expect(complaints).toEqual([
      'table-keys-unexpected  tables.public.article.select_permisions  tables.yaml:2:3\n' +
        '  unexpected keys when parsing TableMetadata: ["select_permisions"]\n  Did you mean "select_permissions"?',
    ]);
    expect(value.sources).toMatchObject([
      {
        name: 'default',
        tables: [{ table: { name: 'article' } }],
        functions: [{ function: { name: 'search' } }],
      },
    ]);
  });

  test('a missing include costs its entry, a cycle is cut, broken YAML has a line', () => {
    write({
      'version.yaml': 'version: 3',
      'databases/databases.yaml': sources('"!include tables/tables.yaml"'),
      'databases/tables/tables.yaml':
        '- "!include gone.yaml"\n- "!include broken.yaml"\n- "!include round.yaml"\n- table: good\n',
      'databases/tables/broken.yaml': 'table: a\nis_enum: [true\n',
      'databases/tables/round.yaml': 'table: round\nselect_permissions: !include round.yaml\n',
    });
    const { value, complaints } = read();
    expect(value.sources[0]!.tables.map(({ table, path }) => [table.name, path.at(-1)])).toEqual([
      ['round', 2],
      ['good', 3],
    ]);
    expect(complaints).toHaveLength(3);
    expect(complaints[0]).toContain(
      'include-missing  sources.default.tables[0]  databases/tables/tables.yaml:1:3',
    );
    expect(complaints[0]).toContain('databases/tables/gone.yaml does not exist');
    expect(complaints[1]).toMatch(
      /^metadata-yaml-invalid {2}sources.default.tables\[1\] {2}databases\/tables\/broken.yaml:3:1/,
    );
    expect(complaints[2]).toMatch(/^include-cycle .*round.yaml:2:1/);
    expect(complaints[2]).toContain('databases/tables/round.yaml → databases/tables/round.yaml');
  });

  test('an error inside an included file is placed there', () => {
    write({
      'version.yaml': 'version: 3',
      'databases/databases.yaml': sources('"!include tables.yaml"'),
      'databases/tables.yaml': '- "!include article.yaml"\n',
      'databases/article.yaml':
        'table: {schema: s, name: article}\nselect_permissions:\n  - role: user\n    permission:\n      columns: "*"\n      filter: 3\n',
    });
    expect(read().complaints).toEqual([
      'metadata-value-invalid  sources.default.tables.s.article.select_permissions.user.permission.filter  databases/article.yaml:6:7\n' +
        '  parsing Object failed, expected Object, but encountered Number',
    ]);
  });

  test('duplicate keys, infinite numbers and files of unknown names are reported', () => {
    write({
      'version.yaml': 'version: 3',
      'databases/databases.yaml': '[]',
      'backend_configs.yaml': 'a: .inf',
      'network.yaml': 'tls_allowlist: []\ntls_allowlist: []\n',
      'action.yaml': 'actions: []',
    });
    const { complaints } = read();
    expect(complaints).toHaveLength(3);
    expect(complaints.join('\n')).toMatch(
      /metadata-yaml-invalid {2}network {2}network.yaml:2:1\n {2}This is not YAML: Map keys must be unique\./,
    );
    expect(complaints.join('\n')).toMatch(
      /backend_configs.a {2}backend_configs.yaml:1:1\n.*Infinity is not a JSON number/,
    );
    expect(complaints.join('\n')).toMatch(
      /warning metadata-file-ignored {2}action.yaml:1:1\n.*\n {2}Did you mean "actions.yaml"\?/,
    );
  });
});

describe('actions.graphql', () => {
  const base = { 'version.yaml': 'version: 3', 'databases/databases.yaml': '[]' };

  test('is the truth for signatures; actions.yaml adds the rest', () => {
    write({
      ...base,
      'actions.graphql': [
        'type Query { ask(a: Int!, "How many" b: [String!]): Out }',
        'extend type Mutation { act: Out! }',
        '"""An answer."""\ntype Out { id: Int! "N" name: String }',
        'input In { id: Int }',
        'scalar When',
        'enum Level { LOW "Up" HIGH OLD @deprecated }',
      ].join('\n'),
      'actions.yaml': [
        'actions:',
        '  - name: act',
        '    definition: {kind: asynchronous, handler: h, timeout: 5}',
        '    permissions: [{role: user}]',
        '    comment: Acts.',
        '  - name: ask',
        '    definition: {kind: "", handler: g}',
        'custom_types:',
        '  objects:',
        '    - name: Out',
        '      relationships: [{name: r, type: object, remote_table: t, field_mapping: {id: id}}]',
        '  input_objects: [{name: In, description: Input.}]',
      ].join('\n'),
    });
    const { value, complaints } = read();
    expect(complaints).toEqual([]);
    expect(value.actions).toMatchObject([
      {
        name: 'ask',
        definition: {
          type: 'query',
          kind: 'synchronous',
          output_type: 'Out',
          arguments: [
            { name: 'a', type: 'Int!' },
            { name: 'b', type: '[String!]', description: 'How many' },
          ],
        },
      },
      {
        name: 'act',
        comment: 'Acts.',
        definition: {
          type: 'mutation',
          kind: 'asynchronous',
          output_type: 'Out!',
          arguments: [],
          timeout: 5,
        },
        permissions: [{ role: 'user' }],
      },
    ]);
    expect(value.custom_types).toMatchObject({
      objects: [
        {
          name: 'Out',
          description: 'An answer.',
          fields: [
            { name: 'id', type: 'Int!' },
            { name: 'name', type: 'String', description: 'N' },
          ],
          relationships: [{ name: 'r', source: 'default', remote_table: { schema: 'public', name: 't' } }],
        },
      ],
      input_objects: [{ name: 'In', description: 'Input.', fields: [{ name: 'id', type: 'Int' }] }],
      scalars: [{ name: 'When' }],
      enums: [
        {
          name: 'Level',
          values: [
            { value: 'LOW' },
            { value: 'HIGH', description: 'Up' },
            { value: 'OLD', is_deprecated: true },
          ],
        },
      ],
    });
  });

  test('what only one of the two files knows is reported', () => {
    write({
      ...base,
      'actions.graphql':
        'type Query { lonely: Int\n here: Int }\ntype Out { a: Int }\ninterface Node { id: Int }\n',
      'actions.yaml':
        'actions:\n  - name: here\n    definition: {handler: h}\n  - name: her\n    definition: {handler: h}\ncustom_types:\n  objects:\n    - name: Outt\n',
    });
    const { value, complaints } = read();
    expect(value.actions.map(({ name }) => name)).toEqual(['here']);
    expect(complaints).toEqual([
      'warning action-sdl-ignored  custom_types  actions.graphql:4:1\n  The interface Node in actions.graphql is ignored: actions have no interfaces.',
      'action-not-in-sdl  actions  actions.yaml:4:5\n  action her is not present in actions.graphql\n  Did you mean "here"?',
      'custom-type-not-in-sdl  custom_types.objects  actions.yaml:8:7\n  custom type Outt is not present in actions.graphql\n  Did you mean "Out"?',
      'metadata-value-invalid  actions.lonely.definition  actions.graphql:1:14\n  key "handler" not found',
    ]);
  });

  test('that is no GraphQL has a line, and no action is reported as missing from it', () => {
    write({
      ...base,
      'actions.graphql': 'type Query {\n  a(: Int\n}\n',
      'actions.yaml': 'actions:\n  - name: a\n    definition: {handler: h}\n',
    });
    const { value, complaints } = read();
    expect(value.actions).toEqual([]);
    expect(complaints).toEqual([
      'actions-sdl-invalid  actions  actions.graphql:2:5\n  actions.graphql is not a GraphQL document: expected Name, found ":".',
    ]);
  });

  test('may be empty, or only comments', () => {
    write({
      ...base,
      'actions.graphql': '# none yet\n\n',
      'actions.yaml': 'actions: []\ncustom_types: {enums: []}\n',
    });
    expect(read().complaints).toEqual([]);
  });
});

describe('a JSON file', () => {
  test('has a line and column for what is wrong in it', () => {
    write({
      'm.json':
        '{"version": 3, "sources": [\n  {"name": "default", "configuration": {"connection_info": {"database_url": "x"}},\n   "tables": [{"table": "a\\u00e9\\"b"},\n     {"table": "t", "bogus": -1.5e3}]}\n]}',
    });
    expect(read('m.json').complaints).toEqual([
      'table-keys-unexpected  sources.default.tables.t.bogus  m.json:4:21\n  unexpected keys when parsing TableMetadata: ["bogus"]',
    ]);
  });

  test.each([
    ['', 1, 1, 'expected a value, but found the end of the file'],
    ['{"a": 1,}', 1, 9, 'expected a key in double quotes, but found "}"'],
    ['{"a": [1,\n 2 3]}', 2, 4, 'expected "," or "]" after an item, but found "3"'],
    ['{"a" 1}', 1, 6, 'expected ":" after the key, but found "1"'],
    ['{"a": 01}', 1, 8, 'expected "," or "}" after a value, but found "1"'],
    ['{"a": "x\ny"}', 1, 7, 'expected a value, but found "\\""'],
    ['{} []', 1, 4, 'expected the end of the file, but found "["'],
  ])('%j is not JSON', (text, line, column, reason) => {
    write({ 'm.json': text });
    expect(read('m.json').complaints).toEqual([
      `metadata-json-invalid  m.json:${line}:${column}\n  This is not JSON: ${reason}.`,
    ]);
  });

  test('that does not exist is a diagnostic, not an exception', () => {
    expect(read('none.json').complaints).toEqual([
      'metadata-file-unreadable  none.json:1:1\n  Cannot read none.json: there is no such file or directory.',
    ]);
  });
});

test('a folder without metadata says how to begin', () => {
  write({ 'version.yaml': 'version: 3\n' });
  const { complaints } = read();
  expect(complaints).toHaveLength(1);
  expect(complaints[0]).toContain('has no metadata');
  expect(complaints[0]).toContain('engine metadata export');
});
