/** Finds the SQL files of a project's migrations, by source and in the order in which they are applied. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { nearest } from '../../runtime/diagnostics/nearest.ts';
import type { Source } from '../../runtime/metadata/metadata.ts';

export interface MigrationFile {
  /** Path below the given folder. */
  readonly path: string;
  readonly text: string;
}

/** The migrations found for a source. */
export type SourceMigrations =
  | { readonly source: Source; readonly folder: string; readonly files: readonly MigrationFile[] }
  | { readonly source: Source; readonly missing: string; readonly nearest?: string };

/**
 * The migrations below `folder`. `folder/<source>` belongs to that source. A project of one source may as well have its
 * migrations in `folder` itself, or in its only folder, whatever that is called.
 *
 * @throws NodeJS.ErrnoException if a folder or file cannot be read
 */
export function findMigrations(folder: string, sources: readonly Source[]): SourceMigrations[] {
  const folders = statSync(folder).isDirectory() ? subfolders(folder) : [];
  const [only] = sources;
  return sources.map((source) => {
    let own: string | undefined;
    if (folders.includes(source.name) && !isMigration(join(folder, source.name)))
      own = join(folder, source.name);
    else if (sources.length === 1 && source === only) own = soleFolder(folder, folders);
    if (own !== undefined) return { source, folder: own, files: listFiles(own).map(readFile) };
    const near = nearest(source.name, folders);
    return { source, missing: join(folder, source.name), ...(near !== undefined && { nearest: near }) };
  });
}

function soleFolder(folder: string, folders: readonly string[]): string {
  const [first, ...others] = folders;
  const isNested =
    first !== undefined &&
    others.length === 0 &&
    listFiles(folder).length === 0 &&
    !isMigration(join(folder, first));
  return isNested ? join(folder, first) : folder;
}

function subfolders(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name);
}

/** `<timestamp>_<name>/up.sql`. */
function isMigration(folder: string): boolean {
  return ['up.sql', 'up.sql.gz'].some((file) => existsSync(join(folder, file)));
}

/** SQL files of the folder, and `up.sql` of the folders in it; what leads back (`down.sql`, `….down.sql`) is left out. */
function listFiles(folder: string): string[] {
  if (!statSync(folder).isDirectory()) return [folder];
  return readdirSync(folder, { withFileTypes: true })
    .toSorted((left, right) => compareVersions(left.name, right.name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (statSync(path).isDirectory())
        return ['up.sql', 'up.sql.gz'].map((file) => join(path, file)).filter((file) => existsSync(file));
      return /(?<!\.down|^down)\.sql(\.gz)?$/.test(entry.name) ? [path] : [];
    });
}

/** By the number that a name begins with, whatever its length, then by name. */
function compareVersions(left: string, right: string): number {
  const [first, second] = [left, right].map((name) => /^\d+/.exec(name)?.[0]);
  if (first !== undefined && second !== undefined && BigInt(first) !== BigInt(second))
    return BigInt(first) < BigInt(second) ? -1 : 1;
  return left < right ? -1 : left > right ? 1 : 0;
}

function readFile(path: string): MigrationFile {
  const bytes = readFileSync(path);
  return { path, text: (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8') };
}
