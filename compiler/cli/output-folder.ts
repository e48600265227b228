/** The folder that generated files are written to: only what changed is written, and only what was generated is deleted. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileProblem } from '../../runtime/core/reasons.ts';

const MANIFEST = 'manifest.json';

/** The folder cannot take generated files; the message says why and what to do. */
export class OutputFolderError extends Error {
  override readonly name = 'OutputFolderError';
}

export interface Difference {
  /** New files and files with another text, sorted. */
  readonly changed: readonly string[];
  /** Files of the folder that this compile does not generate, sorted. */
  readonly extra: readonly string[];
  /** Sources whose files were compiled for another major version of PostgreSQL. */
  readonly versions: readonly SourceVersions[];
}

export interface SourceVersions {
  readonly source: string;
  readonly compiledFor: number;
  readonly now: number;
}

/** Compares the folder with what it should hold. */
export function compareFolder(folder: string, files: ReadonlyMap<string, string>): Difference {
  const changed = [...files]
    .filter(([path, text]) => readText(join(folder, path)) !== text)
    .map(([path]) => path);
  const versions = changed.flatMap((path): SourceVersions[] => {
    const source = /^sources\/([^/]+)\/source\.ts$/.exec(path)?.[1];
    const [compiledFor, now] = [readText(join(folder, path)), files.get(path)].map((text) =>
      Number(/^ {2}postgres: (\d+),$/m.exec(text ?? '')?.[1]),
    ) as [number, number];
    // Not a number where the file is new: a comparison with it is false.
    const differ = compiledFor < now || compiledFor > now;
    return source !== undefined && differ ? [{ source, compiledFor, now }] : [];
  });
  return { changed, extra: listFiles(folder).filter((path) => !files.has(path)), versions };
}

/**
 * Writes the files. What an earlier compile wrote and this one does not is deleted; other files stay.
 * @throws OutputFolderError if the folder holds files but was not written by a compile, or cannot be written
 */
export function writeFolder(folder: string, files: ReadonlyMap<string, string>): Difference {
  const present = listFiles(folder);
  if (present.length > 0 && !present.includes(MANIFEST)) {
    throw new OutputFolderError(
      `The folder ${folder} holds files that are not generated (no ${MANIFEST}). Choose an empty or new folder.`,
    );
  }
  const { changed, extra, versions } = compareFolder(folder, files);
  const generated = new Set(generatedBefore(folder));
  const deleted = extra.filter((path) => generated.has(path));
  try {
    for (const path of deleted) removeFile(folder, path);
    // The manifest comes last: an interrupted write leaves the old one, which no longer fits and is noticed.
    for (const path of changed.toSorted(
      (left, right) => Number(left === MANIFEST) - Number(right === MANIFEST),
    )) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), files.get(path)!);
    }
  } catch (error) {
    throw new OutputFolderError(`Cannot write to ${folder}: ${fileProblem(error)}.`);
  }
  return { changed, extra: deleted, versions };
}

/** Files that the last compile wrote, by its manifest. */
function generatedBefore(folder: string): string[] {
  try {
    const manifest = JSON.parse(readText(join(folder, MANIFEST)) ?? '{}') as {
      files?: Record<string, string>;
      reports?: readonly string[];
    };
    return [...Object.keys(manifest.files ?? {}), ...(manifest.reports ?? [])];
  } catch {
    return [];
  }
}

function removeFile(folder: string, path: string): void {
  rmSync(join(folder, path), { force: true });
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    if (readdirSync(join(folder, parent)).length > 0) break;
    rmdirSync(join(folder, parent));
  }
}

function listFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

function readText(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
