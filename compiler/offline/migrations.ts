/** Finds the SQL files of a project's migrations, by source and in the order in which they are applied. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { nearest } from '../../runtime/core/diagnostics/nearest.ts';
import type { Source } from '../../runtime/metadata/metadata.ts';
import { foldersOf, holdsFiles, isMigration, LayoutError, listMigrations } from './layouts.ts';

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
 * @throws LayoutError; NodeJS.ErrnoException if a folder or file cannot be read
 */
export function findMigrations(folder: string, sources: readonly Source[]): SourceMigrations[] {
  const folders = statSync(folder).isDirectory() ? foldersOf(folder) : [];
  const [only] = sources;
  return sources.map((source) => {
    let own: string | undefined;
    if (folders.includes(source.name) && !isMigration(join(folder, source.name)))
      own = join(folder, source.name);
    else if (sources.length === 1 && source === only) own = soleFolder(folder, folders);
    if (own !== undefined) return { source, folder: own, files: listMigrations(own).map(readFile) };
    const near = nearest(source.name, folders);
    return { source, missing: join(folder, source.name), ...(near !== undefined && { nearest: near }) };
  });
}

/** The only folder below, if nothing beside it is to be applied. */
function soleFolder(folder: string, folders: readonly string[]): string {
  const [first, ...others] = folders;
  const isNested =
    first !== undefined && others.length === 0 && !holdsFiles(folder) && !isMigration(join(folder, first));
  return isNested ? join(folder, first) : folder;
}

function readFile(path: string): MigrationFile {
  const read = readFileSync(path);
  const bytes = /\.gz$/i.test(path) ? gunzipSync(read) : read;
  if (bytes.subarray(0, 5).toString('latin1') === 'PGDMP')
    throw new LayoutError(
      `${path} is an archive of pg_dump, not SQL: write it out with pg_restore --file=dump.sql, or dump with --format=plain.`,
    );
  return { path, text: forth(decode(bytes)) };
}

function decode(bytes: Buffer): string {
  return new TextDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8').decode(bytes);
}

/** Lines by which tools keep both ways in one file: dbmate, goose, sql-migrate, node-pg-migrate and their kin. */
const SECTION =
  /^[ \t]*--[\s-]*(?:migrate:|\+(?:goose|migrate|micrate)\s+|rambler\s+)(up|down)\b.*$|^[ \t]*--[\s-]*(up|down)\s+migration\b.*$/gim;

/** The text with blanks in place of what leads back, so that lines and columns stay. */
function forth(text: string): string {
  let result = '';
  let end = 0;
  let isBack = false;
  const take = (until: number) => {
    const part = text.slice(end, until);
    result += isBack ? part.replace(/[^\r\n]/g, ' ') : part;
    end = until;
  };
  for (const match of text.matchAll(SECTION)) {
    take(match.index);
    isBack = (match[1] ?? match[2])!.toLowerCase() === 'down';
  }
  take(text.length);
  return result;
}
