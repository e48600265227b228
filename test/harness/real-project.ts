/** The real projects beside the checkout, loaded into test databases, compiled and linked. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compile } from '../../compiler/index.ts';
import { readMetadataFile } from '../../compiler/phases/1-read/index.ts';
import type { SourceCatalog } from '../../runtime/catalog/catalog.ts';
import { loadReadBody } from '../../runtime/catalog/sql-body.ts';
import { linkProgram, type Program } from '../../runtime/core/program/program.ts';
import { readDatabase } from '../../runtime/database/read-database.ts';
import { createLoader } from '../../runtime/program/loader.ts';
import { createTestDatabase } from './postgres.ts';
import { PROJECTS } from './public-cases.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Whether the real projects are there; tests that need them skip where they are not. */
export const projectsPresent = existsSync(PROJECTS);

/** Names of the projects; empty where they are not. */
export const projectNames: readonly string[] = projectsPresent
  ? readdirSync(PROJECTS).filter((name) => existsSync(join(PROJECTS, name, 'case.json')))
  : [];

export interface RealProject {
  readonly program: Program;
  /** Address of the database by source. */
  readonly urls: ReadonlyMap<string, string>;
}

/** @throws Error when anything but a remote schema that nobody serves is reported */
export async function openProject(name: string): Promise<RealProject> {
  const urls = await loadProject(name);
  const { value: metadata } = readMetadataFile(projectFile(name, 'metadata.json'));
  const catalogs: Record<string, SourceCatalog> = {};
  for (const source of metadata.sources) {
    const enumTables = source.tables.filter(({ is_enum }) => is_enum).map(({ table }) => table);
    catalogs[source.name] = await readDatabase(
      { connectionString: urls.get(source.name)! },
      enumTables,
      loadReadBody,
      source,
    );
  }
  const { files } = compile({
    metadata,
    catalogs,
    remotes: remoteSchemasOf(name),
    // Recorded before the convention had today's names.
    naming: { enabled: true, default: 'engine-default', early: true },
  });
  const program = linkProgram(await createLoader().load(files), { inferFunctionPermissions: true });
  return { program, urls };
}

/** The remote schemas that the project's metadata names, as SDL. */
export function remoteSchemasOf(name: string): Record<string, { readonly sdl: string }> {
  const folder = projectFile(name, 'remote');
  if (!existsSync(folder)) return {};
  return Object.fromEntries(
    readdirSync(folder).map((file) => [
      file.replace(/\.graphql$/, ''),
      { sdl: readFileSync(join(folder, file), 'utf8') },
    ]),
  );
}

/** A file of a project, as text. */
export function readProjectFile(name: string, path: string): string {
  return readFileSync(projectFile(name, path), 'utf8');
}

/** The operations of the project's own client programs: name of the file and its text. */
export function clientOperations(name: string): readonly { readonly file: string; readonly text: string }[] {
  return readdirSync(projectFile(name, 'queries'))
    .filter((file) => file.endsWith('.graphql'))
    .sort()
    .map((file) => ({ file, text: readProjectFile(name, `queries/${file}`) }));
}

/** Path of a file of a project. */
export function projectFile(name: string, path: string): string {
  return join(PROJECTS, name, path);
}

/** Databases of a project's sources, with its own SQL in them, and its sample rows where they are asked for. */
export async function loadProject(
  name: string,
  rows: 'seed' | 'empty' = 'empty',
): Promise<ReadonlyMap<string, string>> {
  const { sources } = JSON.parse(readProjectFile(name, 'case.json')) as {
    readonly sources: Readonly<Record<string, string>>;
  };
  const database = await createTestDatabase();
  const seed = rows === 'seed' ? ['--seed'] : [];
  await promisify(execFile)(process.execPath, [join(PROJECTS, 'load.mjs'), name, database.url, ...seed], {
    cwd: root,
  });
  const several = readdirSync(projectFile(name, 'sql')).length > 1;
  return new Map(
    Object.entries(sources).map(([source, folder]) => {
      const url = new URL(database.url);
      if (several) url.pathname += `_${folder}`;
      return [source, url.href];
    }),
  );
}
