/** The place of generated code: a folder, or a folder in a revision of git. Its files are read as text, never run. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { extract, PROGRAM } from '../../artefact/readable.ts';
import type { Files } from '../../phases/5-emit/index.ts';

/** The place has no readable generated code. The message says what was expected and what to do. */
export class GeneratedCodeError extends Error {
  override readonly name = 'GeneratedCodeError';
}

export interface GeneratedTexts {
  /** The name that the command line gave, for headings. */
  readonly label: string;
  /** Path of the folder that a file's path is to be put behind, for places in reports. */
  readonly folder: string;
  readonly files: Files;
  /** The file to begin with; `index.ts` unless given. */
  readonly entry?: string;
  /** The compiler has just written them: nobody edited them. */
  readonly isFresh?: true;
}

const MANIFEST = 'manifest.json';
const ENTRY = 'index.ts';

/**
 * Reads `generated` (a folder), `dist`, `dist/program.js` or `dist/api.mjs` (an artefact, with the generated code in it), `main` (a revision, whose `folder` is read) or `main:path/to/generated`. A folder wins over a
 * revision of the same name.
 * @throws GeneratedCodeError
 */
export function readGeneratedTexts(place: string, folder: string): GeneratedTexts {
  for (const path of [place, join(place, 'generated')])
    if (existsSync(join(path, ENTRY)) && existsSync(join(path, MANIFEST)))
      return { label: place, folder: path, files: readFolder(path) };
  if (/\.m?js$/.test(place) && existsSync(place)) return readArtefact(place);
  const [, revision = place, path = folder] = /^([^:]+):(.+)$/.exec(place) ?? [];
  if (!isRevision(revision))
    throw new GeneratedCodeError(
      existsSync(place)
        ? `The folder ${place} holds no generated code (no ${ENTRY} and ${MANIFEST}). Name the folder that engine compile --out writes.`
        : `${place} is neither a folder nor a revision of git.`,
    );
  return { label: place, folder: path, files: readRevision(revision, path.replace(/^\.\/|\/$/g, '')) };
}

function readArtefact(file: string): GeneratedTexts {
  const code = extract(readFileSync(file, 'utf8'));
  if (code === undefined)
    throw new GeneratedCodeError(
      `${file} holds no generated code that one can read: it is not the program of an artefact (of a folder, name the folder or its ${PROGRAM}), or was built by an older engine.`,
    );
  const entry = basename(file);
  return { label: file, folder: dirname(file), files: new Map([[entry, code]]), entry };
}

function readFolder(folder: string): Files {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|json)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return new Map(
    entries.map((path) => [relative(folder, path).split(sep).join('/'), readFileSync(path, 'utf8')]),
  );
}

function git(args: readonly string[], input?: string): Buffer {
  return execFileSync('git', [...args], {
    ...(input === undefined ? {} : { input }),
    stdio: ['pipe', 'pipe', 'pipe'],
    maxBuffer: 2 ** 30,
  });
}

function isRevision(revision: string): boolean {
  try {
    git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]);
    return true;
  } catch {
    return false;
  }
}

/** @throws GeneratedCodeError if the revision has no such folder */
function readRevision(revision: string, folder: string): Files {
  // Paths count from the working directory, as the person typed them.
  const listed = git(['ls-tree', '-r', '-z', revision, '--', `${folder}/`]).toString('utf8');
  const entries = listed
    .split('\0')
    .map((line) => /^\d+ blob ([0-9a-f]+)\t(.+)$/s.exec(line))
    .filter((match) => match !== null)
    .map(([, id, path]) => ({ id: id!, path: path!.slice(folder.length + 1) }))
    .filter(({ path }) => /\.(ts|json)$/.test(path));
  if (!entries.some(({ path }) => path === MANIFEST))
    throw new GeneratedCodeError(
      `Revision ${revision} holds no generated code in ${folder} (no ${folder}/${MANIFEST}). Name its folder: ${revision}:path/to/generated.`,
    );
  const blobs = readBlobs(entries.map(({ id }) => id));
  return new Map(entries.map(({ path }, index) => [path, blobs[index]!]));
}

/** Texts of git objects, in order; one process for all. */
function readBlobs(ids: readonly string[]): string[] {
  const output = git(['cat-file', '--batch'], `${ids.join('\n')}\n`);
  let at = 0;
  return ids.map(() => {
    const end = output.indexOf('\n', at);
    const size = Number(output.toString('latin1', at, end).split(' ')[2]);
    const text = output.toString('utf8', end + 1, end + 1 + size);
    at = end + 1 + size + 1;
    return text;
  });
}
