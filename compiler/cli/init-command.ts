/** `engine init`: a project for a database, or for one that is made from a first migration. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SourceCatalog } from '../../runtime/catalog/catalog.ts';
import { printCatalogFile } from '../../runtime/catalog/index.ts';
import { loadReadBody } from '../../runtime/catalog/sql-body.ts';
import { nearest } from '../../runtime/core/diagnostics/nearest.ts';
import { keyOf } from '../../runtime/core/names.ts';
import { DatabaseClient } from '../../runtime/database/client.ts';
import { describeConnectionError } from '../../runtime/database/connection-error.ts';
import { readDatabase } from '../../runtime/database/read-database.ts';
import { applyMigrations } from '../offline/apply.ts';
import { startEmbeddedPostgres } from '../offline/embedded.ts';
import { startProgress } from '../offline/progress.ts';
import { FIRST_MIGRATION } from '../scaffold/first-migration.ts';
import {
  environmentFile,
  MIGRATIONS,
  notesText,
  projectFiles,
  SAVED_CATALOG,
} from '../scaffold/project-files.ts';
import { proposeMetadata } from '../scaffold/propose-metadata.ts';
import { type CommandContext, UsageError } from './command.ts';
import { metadataFolder } from './metadata-folder.ts';

export interface InitOptions {
  readonly databaseUrl?: string;
  readonly out: string;
  readonly schema?: readonly string[];
}

/** The project cannot be written; the message says why and what to do. */
class ProjectFolderError extends Error {
  override readonly name = 'ProjectFolderError';
}

interface Database {
  readonly catalog: SourceCatalog;
  /** Keys of relations that belong to extensions. */
  readonly foreign: ReadonlySet<string>;
}

/** Runs the command and returns its exit status. Writes nothing if one of its files exists. @throws UsageError, ProjectFolderError */
export async function initCommand(options: InitOptions, context: CommandContext): Promise<number> {
  const { out } = options;
  const { vocabulary } = context;
  const url = options.databaseUrl ?? context.environment[vocabulary.environment('DATABASE_URL')];
  // Known before the database is asked.
  refuseExisting(out, ['metadata', ...(url === undefined ? ['migrations'] : ['catalog.json', '.env'])]);
  const progress = startProgress(context);
  progress.step(
    url === undefined ? 'starting an embedded PostgreSQL' : 'reading the catalog of the database',
  );
  let database: Database;
  try {
    database = url === undefined ? await firstDatabase() : await existingDatabase(url);
  } finally {
    progress.end();
  }
  const { catalog, foreign } = database;
  refuseUnknownSchemas(options.schema, catalog);
  const proposed = proposeMetadata(catalog, options.schema, foreign, vocabulary);
  const place = url === undefined ? MIGRATIONS : SAVED_CATALOG;
  const metadata = [...metadataFolder(proposed.metadata, proposed.comments)].map(
    ([path, text]): [string, string] => [join('metadata', path), text],
  );
  const files = new Map([...metadata, ...projectFiles(proposed, place, vocabulary)]);
  if (url === undefined) files.set(FIRST_MIGRATION.path, FIRST_MIGRATION.text);
  else files.set('catalog.json', printCatalogFile({ version: 3, sources: { default: catalog } }));
  refuseExisting(out, [...files.keys()]);
  for (const [path, text] of files) write(join(out, path), text);
  if (url !== undefined)
    write(join(out, '.env'), environmentFile(url, randomBytes(24).toString('base64url'), vocabulary), 0o600);
  const { tables, relationships, functions } = proposed.counts;
  context.stdout(`${out}: ${count(tables, 'table or view', 'tables and views')}, ${count(relationships, 'relationship')}, ${count(functions, 'function')}; no permissions, so only the administrator may do anything.

${notesText(proposed)}
Next${out === '.' ? '' : `, in ${out}`}:
  engine dev
  engine compile --out generated
  engine role add user --owner ${exampleOwner(catalog)}=${vocabulary.titled('User-Id')}
README.md says how to serve it.
`);
  return 0;
}

/** The table that most others refer to is the best guess of who the users are. */
function exampleOwner({ tables }: SourceCatalog): string {
  const referred = new Map<string, number>();
  for (const { references } of tables.flatMap(({ foreignKeys }) => foreignKeys)) {
    if (references.columns.length !== 1) continue;
    const column = `${keyOf(references)}.${references.columns[0]}`;
    referred.set(column, (referred.get(column) ?? 0) + 1);
  }
  const [most] = [...referred].sort(([, left], [, right]) => right - left);
  return most?.[0] ?? 'public.users.id';
}

function count(number: number, one: string, several = `${one}s`): string {
  return `${number} ${number === 1 ? one : several}`;
}

async function existingDatabase(url: string): Promise<Database> {
  try {
    const catalog = await readDatabase({ connectionString: url }, [], loadReadBody);
    const client = new DatabaseClient({ connectionString: url });
    await client.connect();
    try {
      const { rows } = await client.query<{ schema: string; name: string }>(EXTENSION_RELATIONS);
      return { catalog, foreign: new Set(rows.map(keyOf)) };
    } finally {
      await client.end();
    }
  } catch (error) {
    throw new UsageError(
      `The database cannot be read: ${describeConnectionError(error)}. Nothing was written.`,
    );
  }
}

const EXTENSION_RELATIONS = `
  select n.nspname as schema, c.relname as name
  from pg_catalog.pg_depend d
  join pg_catalog.pg_class c on c.oid = d.objid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.deptype = 'e'`;

/** The catalog of the first migration, from a database that is gone afterwards. @throws EmbeddedPostgresError */
async function firstDatabase(): Promise<Database> {
  const server = await startEmbeddedPostgres();
  try {
    const url = await server.createDatabase('first');
    const failure = await applyMigrations(url, [FIRST_MIGRATION]);
    if (failure) throw new Error(`The first migration was refused: ${failure.reason}`);
    return { catalog: await readDatabase({ connectionString: url }, [], loadReadBody), foreign: new Set() };
  } finally {
    await server.stop();
  }
}

function refuseUnknownSchemas(schemas: readonly string[] | undefined, { tables }: SourceCatalog): void {
  const known = [...new Set(tables.map(({ schema }) => schema))];
  const unknown = schemas?.find((schema) => !known.includes(schema));
  if (unknown === undefined) return;
  const near = nearest(unknown, known);
  const advice =
    near === undefined ? `Those with tables: ${known.join(', ') || 'none'}.` : `Did you mean "${near}"?`;
  throw new UsageError(`The database has no tables in a schema "${unknown}". ${advice}`);
}

function refuseExisting(out: string, paths: readonly string[]): void {
  const existing = paths.filter((path) => existsSync(join(out, path)));
  if (existing.length === 0) return;
  throw new ProjectFolderError(
    `${existing.map((path) => join(out, path)).join(', ')} exist${existing.length === 1 ? 's' : ''} already, and nothing is overwritten: nothing was written. Name another folder with --out.`,
  );
}

function write(path: string, text: string, mode?: number): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    // Never over a file that has appeared since.
    writeFileSync(path, text, { flag: 'wx', ...(mode !== undefined && { mode }) });
  } catch (error) {
    throw new ProjectFolderError(
      `${path} cannot be written: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}.`,
    );
  }
}
