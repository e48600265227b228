/** The metadata of an earlier version: of a file or folder, or as a revision of git has it. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { hasErrors } from '../../runtime/core/diagnostics/diagnostic.ts';
import type { Vocabulary } from '../../runtime/core/vocabulary.ts';
import type { Metadata } from '../../runtime/metadata/metadata.ts';
import { readMetadataFile } from '../phases/1-read/index.ts';
import { renderDiagnostics } from '../review/findings/render.ts';
import { UsageError } from './command.ts';

/**
 * @param place path of metadata, a revision (`main`), which has them at the path of the present ones, or `main:path`
 * @param path of the present metadata
 * @throws UsageError if the metadata does not exist or cannot be read
 */
export function readBaseMetadata(place: string, path: string, vocabulary: Vocabulary): Metadata {
  if (existsSync(place)) return read(place, place, vocabulary);
  const [, revision = place, there = path] = /^([^:]+):(.+)$/.exec(place) ?? [];
  // Paths count from the working directory, as the person typed them.
  const inRevision = relative('.', there) || '.';
  const files = git(place, ['ls-tree', '-r', '-z', '--name-only', `${revision}^{commit}`, '--', inRevision])
    .split('\0')
    .filter((file) => file !== '');
  if (files.length === 0)
    throw new UsageError(
      `Revision ${revision} has no ${there}. Name its path: ${revision}:path/to/metadata.`,
    );
  const folder = mkdtempSync(join(tmpdir(), 'engine-base-'));
  try {
    for (const file of files) {
      // A file that was named itself has no path below it.
      const copy = join(folder, relative(inRevision, file) || basename(file));
      mkdirSync(dirname(copy), { recursive: true });
      writeFileSync(copy, git(place, ['show', `${revision}:./${file}`]));
    }
    const isFile = files.length === 1 && files[0] === inRevision;
    return read(isFile ? join(folder, basename(inRevision)) : folder, place, vocabulary);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function read(path: string, label: string, vocabulary: Vocabulary): Metadata {
  const { value, diagnostics, origin } = readMetadataFile(path, { vocabulary });
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (hasErrors(errors))
    throw new UsageError(
      `The metadata of ${label} has errors:\n${renderDiagnostics(errors, origin.describe)}`,
    );
  return value;
}

function git(place: string, args: readonly string[]): string {
  try {
    return execFileSync('git', [...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 2 ** 30,
    });
  } catch {
    throw new UsageError(`${place} is neither metadata nor a revision of git that has them.`);
  }
}
