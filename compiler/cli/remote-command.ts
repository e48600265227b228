/** `engine remote lock|check|diff|rebase`: remote schemas pinned beside the metadata, and compared with the servers. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { GraphQLError } from 'graphql';
import { lineDifference } from '../../runtime/console/line-difference.ts';
import { type Diagnostic, diagnosticKey } from '../../runtime/core/diagnostics/diagnostic.ts';
import { graphqlProblem } from '../../runtime/core/reasons.ts';
import { type RemoteDocument, readRemoteDocument } from '../../runtime/core/remotes/document.ts';
import type { RemoteOrError } from '../../runtime/core/remotes/shapes.ts';
import type { Vocabulary } from '../../runtime/core/vocabulary.ts';
import type { RemoteSchema } from '../../runtime/metadata/metadata.ts';
import { lockFile, lockText, readLock } from '../../runtime/outgoing/remote/lock.ts';
import { compile } from '../index.ts';
import { startProgress } from '../offline/progress.ts';
import { readMetadataFile } from '../phases/1-read/index.ts';
import { lockFolder, readLive } from '../phases/2-introspect/remote-schemas.ts';
import { rebasePermission } from '../review/remote-rebase.ts';
import { type CommandContext, UsageError } from './command.ts';
import { type Project, type ProjectOptions, withProject } from './project.ts';
import { withRemoteReader } from './remote-reader.ts';

interface Compared {
  readonly name: string;
  readonly lock: RemoteOrError | undefined;
  readonly live: RemoteOrError;
}

/** Writes locks. Exit status 1 if a remote schema cannot be read; its lock stays as it is. */
export async function lockCommand(
  names: readonly string[],
  { metadata }: { readonly metadata: string },
  context: CommandContext,
): Promise<number> {
  const compared = await compareAll(names, metadata, context);
  const folder = lockFolder(metadata);
  for (const { name, live } of compared) {
    if ('error' in live) {
      context.stderr(`${name}: ${live.error}\n`);
      continue;
    }
    const path = lockFile(folder, name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, lockText(name, live.sdl));
    context.stdout(`${name} → ${path}\n`);
  }
  return compared.some(({ live }) => 'error' in live) ? 1 : 0;
}

/** Prints what a new lock would change. Exit status 1 where something differs or cannot be read. */
export async function remoteDiffCommand(
  names: readonly string[],
  { metadata }: { readonly metadata: string },
  context: CommandContext,
): Promise<number> {
  let differs = false;
  for (const { name, lock, live } of await compareAll(names, metadata, context)) {
    if ('error' in live) context.stderr(`${name}: ${live.error}\n`);
    const text = 'error' in live ? '' : lineDifference(lock && 'sdl' in lock ? lock.sdl : '', live.sdl);
    if (text !== '') context.stdout(`${name}\n${text}`);
    differs ||= text !== '' || 'error' in live;
  }
  return differs ? 1 : 0;
}

/**
 * Proposes permissions without what the servers no longer have. Exit status 1 where one has to change, or a server cannot be
 * read. With `out`, proposals are written to `<out>/<remote schema>/<role>.graphql`.
 */
export async function rebaseCommand(
  names: readonly string[],
  { metadata, out }: { readonly metadata: string; readonly out?: string },
  context: CommandContext,
): Promise<number> {
  const { remote_schemas: known } = readMetadataFile(metadata, context).value;
  let changes = false;
  for (const { name, live } of await compareAll(names, metadata, context)) {
    if ('error' in live) {
      context.stderr(`${name}: ${live.error}\n`);
      changes = true;
      continue;
    }
    const upstream = readRemoteDocument(live.sdl);
    for (const { role, definition } of known.find((remote) => remote.name === name)!.permissions) {
      const rebase = proposal(definition.schema, upstream, context.vocabulary);
      if (rebase.text === '') continue;
      changes = true;
      context.stdout(`${name}, role ${role}\n${rebase.text}`);
      if (out === undefined || rebase.after === undefined) continue;
      const path = join(out, basename(lockFile('', name), '.graphql'), basename(lockFile('', role)));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, rebase.after);
      context.stdout(`  → ${path}\n`);
    }
  }
  return changes ? 1 : 0;
}

/** Lines for readers, `''` where the permission fits as it is. */
function proposal(
  sdl: string,
  upstream: RemoteDocument,
  vocabulary: Vocabulary,
): { text: string; after?: string | undefined } {
  try {
    const { before, after, problems } = rebasePermission(sdl, upstream, vocabulary);
    const notes = problems.map((problem) => `  still wrong: ${problem}\n`).join('');
    if (after !== undefined) return { text: lineDifference(before, after) + notes, after };
    return { text: '  nothing is left of the permission; drop it, or write it anew\n' };
  } catch (error) {
    if (error instanceof GraphQLError)
      return { text: `  the permission is not GraphQL: ${graphqlProblem(error)}\n` };
    throw error;
  }
}

/**
 * Compares locks with the servers: `same`, `compatible`, or `breaking` with what would no longer work. Exit status 1 for
 * breaking changes, missing locks and servers that cannot be read.
 */
export async function remoteCheckCommand(
  names: readonly string[],
  options: ProjectOptions,
  context: CommandContext,
): Promise<number> {
  return withProject(options, context, startProgress(context), async (project) => {
    const compared = await compareAll(names, options.metadata, context);
    let fails = false;
    for (const each of compared) {
      const { verdict, broken } = judge(project, each);
      context.stdout(`${each.name}: ${verdict}\n${broken.map((line) => `  ${line}\n`).join('')}`);
      fails ||= verdict !== 'same' && verdict !== 'compatible';
    }
    return fails ? 1 : 0;
  });
}

function judge(
  project: Project,
  { name, lock, live }: Compared,
): { verdict: string; broken: readonly string[] } {
  if (!lock) return { verdict: 'no lock: write one with engine remote lock', broken: [] };
  if ('error' in lock) return { verdict: lock.error, broken: [] };
  if ('error' in live) return { verdict: `cannot be read: ${live.error}`, broken: [] };
  if (lock.sdl === live.sdl) return { verdict: 'same', broken: [] };
  const before = new Set(problemsWith(project, name, lock).map(diagnosticKey));
  const found = problemsWith(project, name, live).filter(
    (diagnostic) => !before.has(diagnosticKey(diagnostic)),
  );
  const broken = found.map(({ message, inconsistency }) => inconsistency?.reason ?? message);
  return { verdict: broken.length > 0 ? 'breaking' : 'compatible', broken };
}

function problemsWith({ input }: Project, name: string, result: RemoteOrError): readonly Diagnostic[] {
  const { origin: _, ...rest } = input;
  return compile({ ...rest, remotes: { ...input.remotes, [name]: result } }).diagnostics;
}

async function compareAll(
  names: readonly string[],
  metadata: string,
  context: CommandContext,
): Promise<readonly Compared[]> {
  const { value } = readMetadataFile(metadata, context);
  const { remote_schemas: known } = value;
  const unknown = names.find((name) => !known.some((remote) => remote.name === name));
  if (unknown !== undefined)
    throw new UsageError(`The metadata has no remote schema ${JSON.stringify(unknown)}.`);
  const wanted = known.filter(({ name }) => names.length === 0 || names.includes(name));
  return withRemoteReader(context, value, (read) =>
    Promise.all(
      wanted.map(async (remote: RemoteSchema): Promise<Compared> => {
        const { name } = remote;
        return { name, lock: readLock(lockFolder(metadata), name), live: await readLive(remote, read) };
      }),
    ),
  );
}
