/** The real projects in another vocabulary: the same diagnostics, generated files and answers, and the export in the project's own spelling. */

import {
  buildClientSchema,
  type GraphQLField,
  type GraphQLObjectType,
  getIntrospectionQuery,
  getNamedType,
  type IntrospectionQuery,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { type CompileInput, compile } from '../../compiler/index.ts';
import type { SourceCatalog } from '../../runtime/catalog/catalog.ts';
import { CANONICAL, Vocabulary } from '../../runtime/core/vocabulary.ts';
import { readDatabase } from '../../runtime/database/read-database.ts';
import { exportMetadata } from '../../runtime/metadata/export-metadata.ts';
import { readMetadata } from '../../runtime/metadata/read-metadata.ts';
import { createTestDatabase, type TestDatabase, withClient } from '../harness/postgres.ts';
import {
  loadProject,
  projectNames,
  projectsPresent,
  readProjectFile,
  remoteSchemasOf,
} from '../harness/real-project.ts';
import { send, serve, type TestServer } from '../harness/server.ts';
import { inVocabulary, outOfVocabulary } from '../harness/vocabulary.ts';

const ACME = new Vocabulary('acme');
const WORD = ACME.word;

interface ProjectOutput {
  /** JSON text of the export. */
  readonly exported: string;
  readonly diagnostics: readonly unknown[];
  readonly files: Readonly<Record<string, string>>;
}

/** Projects with rows: the session variables that their roles ask with, and writes whose triggers read who is asking. */
const SERVED = {
  chinook: {
    session: { 'x-engine-user-id': '4' },
    writes: [
      [
        'customer',
        'mutation { update_Customer(where: {}, _set: {Phone: "1"}) { returning { CustomerId Phone } } }',
      ],
    ],
  },
  carnet: {
    session: {
      'x-engine-user-id': '17434464-5f69-40cc-8172-40160958a33d',
      'x-engine-professional-id': '1a5b817b-6b81-4a4d-9953-26707a54e0e9',
      'x-engine-adminstructure-id': 'c2a346cd-b3dd-4892-a33d-7ada82654f97',
      'x-engine-manager-id': '01a3d906-70d9-42e6-9b61-2ccf030e5d8f',
      'x-engine-beneficiary-id': 'c6e84ed6-eb31-47f0-bd71-9e4d7843cf0b',
      'x-engine-deployment-id': '4dab8036-a86e-4d5f-9bd4-6ce88c1940d0',
    },
    writes: [
      ['admin', 'mutation { update_notebook_focus(where: {}, _set: {theme: "logement"}) { affected_rows } }'],
      [
        'admin',
        '{ notebook_update(order_by: [{notebook_id: asc}, {type: asc}]) { notebook_id account_id type } }',
      ],
    ],
  },
} as const;

describe.skipIf(!projectsPresent)('real projects', () => {
  test.each(projectNames)('%s', { timeout: 600_000 }, async (name) => {
    const metadata = readProjectFile(name, 'metadata.json');
    const remotes = remoteSchemasOf(name);
    const catalogs = await catalogsOf(name, metadata);
    const usual = inWord(CANONICAL, metadata, { catalogs, remotes });
    const other = inWord(ACME, inVocabulary(metadata, WORD), { catalogs, remotes });
    expect(inVocabulary(metadata, WORD)).not.toBe(metadata);
    expect(other.exported).toBe(inVocabulary(usual.exported, WORD));
    expect(JSON.parse(outOfVocabulary(JSON.stringify(other.diagnostics), WORD))).toEqual(usual.diagnostics);
    expect(filesOf(other.files)).toEqual(filesOf(usual.files));
  });
});

describe.skipIf(!projectsPresent)('answers of real projects', () => {
  test.each(Object.entries(SERVED))('%s', { timeout: 600_000 }, async (name, { session, writes }) => {
    const metadata = readProjectFile(name, 'metadata.json');
    const [url] = [...(await loadProject(name, 'seed')).values()];
    const copy = await copyOf(url!);
    await rewriteFunctions(copy, WORD);
    const servers: TestServer[] = [];
    try {
      const usual = await serveProject(name, CANONICAL, url!, metadata);
      servers.push(usual);
      const other = await serveProject(name, ACME, copy, inVocabulary(metadata, WORD));
      servers.push(other);
      const ask = async (role: string, query: string, variables: Readonly<Record<string, string>>) => {
        const headers = { 'x-engine-role': role, ...variables };
        const [expected, found] = await Promise.all([
          send(usual, '/v1/graphql', { body: { query }, headers }),
          send(other, '/v1/graphql', { body: { query }, headers: inWords(headers) }),
        ]);
        const answer = JSON.parse(outOfVocabulary(JSON.stringify(found.json), WORD));
        expect(answer, `${role}: ${query}`).toEqual(expected.json);
        return JSON.stringify(answer);
      };
      const answers: string[] = [];
      for (const role of rolesOf(metadata))
        for (const query of await readsOf(usual, role))
          answers.push(await ask(role, query, session), await ask(role, query, {}));
      expect(answers.filter((answer) => /^{"data":{"\w+":\[{/.test(answer)).length).toBeGreaterThan(
        answers.length / 4,
      );
      expect(
        answers.filter((answer) => answer.includes('missing session variable: \\"x-engine-')),
      ).not.toEqual([]);
      for (const [role, query] of writes)
        expect(await ask(role, query, session)).toMatch(/^{"data":{"\w+":[[{]./);
    } finally {
      for (const server of servers) await server.stop();
    }
  });
});

function inWords(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([key, value]) => [inVocabulary(key, WORD), value]));
}

/** A database with the rows, identifiers and statistics of another one. */
async function copyOf(url: string): Promise<string> {
  const original = new URL(url).pathname.slice(1);
  await withClient(url, (client) => client.query('analyze'));
  const { query } = await createTestDatabase();
  await query(`create database "${original}_copy" template "${original}"`);
  const copy = new URL(url);
  copy.pathname += '_copy';
  return copy.href;
}

/** Makes the functions of the database read the settings and headers of the word. */
async function rewriteFunctions(url: string, word: string): Promise<void> {
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ definition: string }>(
      `select pg_get_functiondef(oid) as definition from pg_proc where prosrc ~ '''engine\\.user'''`,
    );
    for (const { definition } of rows) await client.query(inVocabulary(definition, word));
  });
}

async function serveProject(name: string, vocabulary: Vocabulary, url: string, metadata: string) {
  const { environment } = JSON.parse(readProjectFile(name, 'case.json')) as {
    readonly environment: { readonly templates: readonly string[]; readonly values: readonly string[] };
  };
  const unused = [...environment.templates, ...environment.values].map((key) => [key, 'http://127.0.0.1:1']);
  return serve({
    database: { url } as TestDatabase,
    metadata: JSON.parse(metadata),
    options: { DISABLE_EVENTING: 'true' },
    variables: Object.fromEntries(unused),
    vocabulary,
  });
}

function rolesOf(metadata: string): string[] {
  return [...new Set([...metadata.matchAll(/"role": ?"([^"]+)"/g)].map(([, role]) => role!)), 'admin'].sort();
}

/** A query of each root field that the role sees, with the rows beside. */
async function readsOf(server: TestServer, role: string): Promise<string[]> {
  const body = { query: getIntrospectionQuery() };
  const { json } = await send(server, '/v1/graphql', { body, headers: { 'x-engine-role': role } });
  const schema = buildClientSchema((json as { data: IntrospectionQuery }).data);
  return Object.values(schema.getQueryType()!.getFields()).flatMap((field) => {
    const text = fieldText(field, 2);
    return text === undefined ? [] : [`{ ${text} }`];
  });
}

function fieldText({ name, args, type }: GraphQLField<unknown, unknown>, depth: number): string | undefined {
  if (args.some(isRequiredArgument)) return undefined;
  const limited = args.some((argument) => argument.name === 'limit') ? `${name}(limit: 5)` : name;
  const named = getNamedType(type);
  if (isLeafType(named)) return limited;
  return depth > 0 && isObjectType(named) ? `${limited} { ${fieldsText(named, depth - 1)} }` : undefined;
}

function fieldsText(type: GraphQLObjectType, depth: number): string {
  const texts = Object.values(type.getFields()).map((field) => fieldText(field, depth));
  return ['__typename', ...texts.filter((text) => text !== undefined)].join(' ');
}

/** Canonical as they are, but for texts of users; without the line that names the vocabulary, and the hashes. */
function filesOf(files: ProjectOutput['files']): ProjectOutput['files'] {
  return Object.fromEntries(
    Object.entries(files)
      .filter(([path]) => path !== 'manifest.json')
      .map(([path, text]) => [
        path,
        outOfVocabulary(path === 'index.ts' ? text.replace(`  vocabulary: "${WORD}",\n`, '') : text, WORD),
      ]),
  );
}

function inWord(
  vocabulary: Vocabulary,
  metadata: string,
  given: Pick<CompileInput, 'catalogs' | 'remotes'>,
): ProjectOutput {
  const read = readMetadata(JSON.parse(metadata), { vocabulary });
  const naming = { enabled: true, default: 'engine-default' } as const;
  const compiled = compile({ ...given, metadata: read.value, vocabulary, naming });
  return {
    exported: JSON.stringify(exportMetadata(read.value), null, 2),
    diagnostics: [...read.diagnostics, ...compiled.diagnostics],
    files: Object.fromEntries(compiled.files),
  };
}

async function catalogsOf(name: string, metadata: string): Promise<Record<string, SourceCatalog>> {
  const urls = await loadProject(name);
  const catalogs: Record<string, SourceCatalog> = {};
  for (const source of readMetadata(JSON.parse(metadata)).value.sources) {
    const enumTables = source.tables.filter(({ is_enum }) => is_enum).map(({ table }) => table);
    catalogs[source.name] = await readDatabase({ connectionString: urls.get(source.name)! }, enumTables);
  }
  return catalogs;
}
