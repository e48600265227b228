/**
 * What migrations take for granted of the server that they were written for: roles, databases and tablespaces that are made outside
 * of them. A statement's error names what is missing; it is made, and the statement repeated. Nothing looks for names in SQL text.
 */
import pg from 'pg';
import type { SqlPiece } from './sql-file.ts';
import type { StubFolder } from './stubs.ts';
import { isOfSupabase, MISSING_IN_SUPABASE, supabaseSql } from './supabase.ts';

export interface Supplies {
  /** Stand-ins for extensions that the server lacks. */
  readonly stubs?: StubFolder;
  /** Makes a database that statements name; where it is not given, `create database`. */
  readonly createDatabase?: (name: string) => Promise<unknown>;
}

/** The statement is to be repeated, as it is or with another text, or left out. */
export type Remedy = 'supplied' | { readonly text: string } | 'left out';

type Context = Supplies & { readonly url: string /** Path of the migration. */; readonly path: string };

/**
 * Makes what an error says is missing. Called after a rollback.
 * @param step the failed statement; undefined if it is one of several, which can only be repeated
 * @param supplied what was made for the file: an error that comes again is not repeated for ever
 * @returns undefined if there is no remedy
 */
export async function remedyFor(
  error: pg.DatabaseError,
  step: SqlPiece | undefined,
  context: Context,
  supplied: Set<string>,
): Promise<Remedy | undefined> {
  for (const [pattern, supply] of SUPPLIES) {
    const name = pattern.exec(error.message)?.[1] ?? pattern.exec(error.detail ?? '')?.[1];
    if (name === undefined) continue;
    if (supplied.has(error.message)) return undefined;
    supplied.add(error.message);
    return (await succeeds(() => supply(name, context))) ? 'supplied' : undefined;
  }
  if (MISSING_IN_SUPABASE.test(error.message) && isOfSupabase(context.path) && !supplied.has('supabase')) {
    supplied.add('supabase');
    return (await succeeds(() => addSupabase(context))) ? 'supplied' : undefined;
  }
  const { stubs } = context;
  if (stubs?.addVersion(error.message)) return 'supplied';
  if (step?.kind !== 'statement') return undefined;
  if (stubs) {
    const remedy = withoutStubbed(error.message, step.text);
    if (remedy) return remedy;
  }
  return withoutEffect(error.message, step.text, context);
}

const SUPPLIES: readonly (readonly [RegExp, (name: string, context: Context) => Promise<unknown>])[] = [
  [/^role "(.+)" does not exist$/s, createRole],
  [
    /^database "(.+)" does not exist$/s,
    (name, { url, createDatabase }) =>
      createDatabase?.(name) ?? asAdministrator(url, `create database ${pg.escapeIdentifier(name)}`),
  ],
  [/^tablespace "(.+)" does not exist\.?$/is, createTablespace],
  // Every database has these; dumps of one schema, or made with --clean, make them again.
  [/^schema "(public)" already exists$/, (_, { url }) => asAdministrator(url, 'drop schema public')],
  [/^extension "(plpgsql)" already exists$/, (_, { url }) => asAdministrator(url, 'drop extension plpgsql')],
];

/** A role that may do what it does in its own cluster, whatever was granted to it there. */
async function createRole(name: string, { url }: Context): Promise<void> {
  const role = pg.escapeIdentifier(name);
  if (await succeeds(() => asAdministrator(url, `create role ${role} superuser`))) return;
  await asAdministrator(url, `create role ${role}`);
  await asAdministrator(url, `grant ${role} to current_user`);
}

/** Inside the data directory, where it has no folder of its own to find. */
async function createTablespace(name: string, { url }: Context): Promise<void> {
  await asAdministrator(
    url,
    'set allow_in_place_tablespaces = on',
    `create tablespace ${pg.escapeIdentifier(name)} location ''`,
  );
}

/** Statements that say nothing about the schema, and that this server cannot run. */
async function withoutEffect(message: string, text: string, context: Context): Promise<Remedy | undefined> {
  const [, quoted, plain] = /^create\s+tablespace\s+(?:"((?:[^"]|"")+)"|(\w+))/i.exec(text) ?? [];
  const tablespace = quoted?.replaceAll('""', '"') ?? plain?.toLowerCase();
  if (tablespace !== undefined)
    return (await succeeds(() => createTablespace(tablespace, context))) ? 'left out' : undefined;
  // A setting of a newer version, in the head of its dumps.
  if (/^set\b/i.test(text) && /^unrecognized configuration parameter/.test(message)) return 'left out';
  const isLabel = /^security\s+label\b/i.test(text) && /^(no )?security label provider/.test(message);
  return isLabel ? 'left out' : undefined;
}

/** An index by a method of a stubbed extension is left out, and so are options in its namespace. */
function withoutStubbed(message: string, text: string): Remedy | undefined {
  if (/^access method ".+" does not exist$/.test(message) && /^create\s+index\b/i.test(text))
    return 'left out';
  const namespace = /^unrecognized parameter namespace "(\w+)"$/.exec(message)?.[1];
  if (namespace === undefined) return undefined;
  const shorter = text.replace(new RegExp(`\\bwith\\s*\\([^()]*\\b${namespace}\\.[^()]*\\)`, 'i'), '');
  return shorter === text ? 'left out' : { text: shorter };
}

async function addSupabase({ url }: Context): Promise<void> {
  const database = decodeURIComponent(new URL(url).pathname.slice(1));
  await asAdministrator(url, supabaseSql(pg.escapeIdentifier(database)));
}

async function succeeds(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError) return false;
    throw error;
  }
}

/** In a session of its own: that of the migrations may have another role. */
async function asAdministrator(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
