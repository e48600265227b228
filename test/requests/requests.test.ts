/**
 * The corpus of requests. A folder with `schema.sql` and `metadata.yaml` is a project; every other YAML file in it is a case:
 * a request, its SQL, its answer and, for mutations, the rows that it changed, executed for real. In a project with `rows.sql`
 * each case begins with those rows and no others. `options` of a case are options of the server. ENGINE_UPDATE=1 writes
 * what is served into the files.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  buildClientSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  parse as parseSdl,
  printSchema,
  validateSchema,
} from 'graphql';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { EngineError } from '../../runtime/core/errors.ts';
import { EXTENSIONS } from '../../runtime/core/names.ts';
import type { InProcess } from '../harness/in-process.ts';
import type { TestDatabase } from '../harness/postgres.ts';
import {
  REQUESTS as folder,
  openRequestProject,
  type RequestProject,
  type ServingOptions,
} from '../harness/request-project.ts';
import { layOut } from '../harness/sql-layout.ts';

interface Request {
  readonly role: string;
  readonly session?: Readonly<Record<string, string>>;
  readonly options?: ServingOptions;
  /** To the Relay API. */
  readonly relay?: true | undefined;
  readonly request: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

interface Outcome {
  /** Of a mutation: its statements in order. */
  readonly sql?: string;
  readonly answer?: unknown;
  readonly error?: { readonly code: string; readonly path: string; readonly message: string };
  /** By table; a row that was updated is removed and added. Absent if nothing changed. */
  readonly changes?: Readonly<Record<string, { readonly removed?: Rows; readonly added?: Rows }>>;
}

type Rows = readonly unknown[];

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
const projects = files.filter((file) => basename(file) === 'metadata.yaml').map((file) => dirname(file));

describe.each(projects)('%s', (project) => {
  let opened: RequestProject;
  beforeAll(async () => {
    opened = await openRequestProject(project);
  });
  afterAll(() => opened?.end());

  const cases = files.filter(
    (file) =>
      file.startsWith(`${project}/`) && file.endsWith('.yaml') && file !== join(project, 'metadata.yaml'),
  );
  test.each(cases)('%s', async (file) => {
    const path = join(folder, file);
    const { role, session, options, relay, request, variables, ...expected } = parse(
      readFileSync(path, 'utf8'),
    ) as Request & Outcome;
    const asked = { role, request, relay, ...(session && { session }), ...(variables && { variables }) };
    const seen = await runFresh(opened, await opened.served(options), asked);
    // What the forms for a cluster answer, and write, is what the plain statements do; what is refused is another matter.
    if (opened.isDistributed && !basename(file).startsWith('refused-')) {
      const { sql: _, ...plain } = await runFresh(opened, await opened.served(options, true), asked);
      const { sql: __, ...own } = seen;
      expect(own, 'plain PostgreSQL answers and writes the same').toEqual(plain);
    }
    if (process.env.ENGINE_UPDATE === '1') {
      const all = { role, session, options, relay, request, variables, ...seen };
      writeFileSync(path, stringify(all, { lineWidth: 110, blockQuote: 'literal' }));
    } else {
      expect(seen, 'ENGINE_UPDATE=1 npx vitest run test/requests accepts what is served').toEqual(expected);
    }
  });

  test.each([
    ['', undefined],
    [' with extensions', { naming: { extensions: EXTENSIONS } }],
  ])(
    'every role that may ask for its schema sees a valid one%s, which can be printed and read back',
    async (_, options) => {
      const served = await opened.served(options);
      const { roles, roleSchema } = served.program;
      for (const role of roles) {
        if (!roleSchema(role, false).introspection) continue;
        const { data } = JSON.parse(await served.answer({ query: getIntrospectionQuery() }, role)) as {
          data: IntrospectionQuery;
        };
        const schema = buildClientSchema(data);
        expect(validateSchema(schema), role).toEqual([]);
        expect(() => parseSdl(printSchema(schema)), role).not.toThrow();
      }
    },
  );
});

/** Runs a request on the rows that each case begins with. */
async function runFresh(
  { database, rows }: RequestProject,
  served: InProcess,
  asked: Request,
): Promise<Outcome> {
  if (rows !== undefined) await restore(database, rows);
  const before = await everyRow(database);
  const outcome = await run(served, asked);
  const changes = changesOf(before, await everyRow(database));
  return { ...outcome, ...(Object.keys(changes).length > 0 && { changes }) };
}

async function run(
  served: InProcess,
  { role, session, relay, request, variables }: Request,
): Promise<Omit<Outcome, 'changes'>> {
  try {
    const asked = { query: request, variables, relay };
    // Planned first: what a mutation would do is part of what it says when it fails.
    const sql = layOut(served.sql(asked, role, session), '').trim();
    const answer = JSON.parse(await served.answer(asked, role, session)) as unknown;
    return { sql, answer };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return { error: { code: error.code, path: error.path, message: error.message } };
  }
}

/** Leaves the rows of the SQL, with sequences at their beginning. */
async function restore(database: TestDatabase, rows: string): Promise<void> {
  const tables = await tablesOf(database);
  await database.query(
    `truncate ${tables.map(pg.escapeIdentifier).join(', ')} restart identity cascade;\n${rows}`,
  );
}

/** Every row as JSON text, by table. */
async function everyRow(database: TestDatabase): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const table of await tablesOf(database)) {
    const read = `select to_jsonb(t)::text as row from ${pg.escapeIdentifier(table)} as t order by 1`;
    found.set(
      table,
      (await database.query<{ row: string }>(read)).map(({ row }) => row),
    );
  }
  return found;
}

async function tablesOf(database: TestDatabase): Promise<readonly string[]> {
  const found = await database.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace
     and relkind in ('r', 'p') and not relispartition order by 1`,
  );
  return found.map(({ name }) => name);
}

function changesOf(
  before: ReadonlyMap<string, readonly string[]>,
  after: ReadonlyMap<string, readonly string[]>,
): NonNullable<Outcome['changes']> {
  const parsed = (texts: readonly string[]) => texts.map((text) => JSON.parse(text) as unknown);
  const changes: Record<string, { removed?: Rows; added?: Rows }> = {};
  for (const [table, old] of before) {
    const now = after.get(table) ?? [];
    const removed = parsed(old.filter((row) => !now.includes(row)));
    const added = parsed(now.filter((row) => !old.includes(row)));
    if (removed.length + added.length === 0) continue;
    changes[table] = { ...(removed.length > 0 && { removed }), ...(added.length > 0 && { added }) };
  }
  return changes;
}
