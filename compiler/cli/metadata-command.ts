/** `engine metadata export|apply|diff`: the metadata of a running server, and the same as files. */

import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lineDifference } from '../../runtime/console/line-difference.ts';
import { hasErrors } from '../../runtime/core/diagnostics/diagnostic.ts';
import { fileProblem } from '../../runtime/core/reasons.ts';
import { jsonText } from '../../runtime/core/types.ts';
import type { Metadata } from '../../runtime/metadata/metadata.ts';
import { createOrigin } from '../../runtime/metadata/origin.ts';
import { exportMetadata, readMetadata, readMetadataFile } from '../phases/1-read/index.ts';
import { renderDiagnostics } from '../review/findings/render.ts';
import type { CommandContext } from './command.ts';
import { differingFiles, metadataFolder } from './metadata-folder.ts';
import {
  ask,
  describe,
  type EndpointOptions,
  type InconsistentEntry,
  MetadataCommandError,
} from './metadata-server.ts';
import { writtenSecrets } from './written-secrets.ts';

export interface MetadataCommandOptions extends EndpointOptions {
  /** JSON file (ends in `.json`) or directory. */
  readonly metadata: string;
  readonly allowInconsistent?: boolean;
}

/** Writes the server's metadata to the file or directory. */
export async function exportCommand(
  options: MetadataCommandOptions,
  context: CommandContext,
): Promise<number> {
  const metadata = await serverMetadata(options, context);
  const { metadata: path } = options;
  if (path.endsWith('.json')) {
    writing(path, () => writeFileSync(path, json(metadata)));
    context.stdout(`The server's metadata → ${path}\n`);
  } else {
    const files = metadataFolder(metadata);
    writing(path, () => writeDirectory(path, files));
    context.stdout(`The server's metadata → ${path}: ${files.size} files\n`);
  }
  warnOfSecrets(metadata, path, context);
  return 0;
}

function warnOfSecrets(metadata: Metadata, path: string, { stderr }: CommandContext): void {
  const document = exportMetadata(metadata);
  const { describe: nameOf } = createOrigin(document, () => undefined);
  const secrets = writtenSecrets(document);
  if (secrets.length === 0) return;
  stderr(`Secrets are written out in ${path}; do not commit them as they are:\n`);
  for (const secret of secrets) stderr(`  ${nameOf(secret.path)}: ${secret.instead}\n`);
}

/** Replaces the server's metadata by that of the file or directory. */
export async function applyCommand(
  options: MetadataCommandOptions,
  context: CommandContext,
): Promise<number> {
  const metadata = localMetadata(options.metadata, context);
  if (metadata === undefined) return 1;
  const answer = (await ask(options, context, {
    type: 'replace_metadata',
    version: 2,
    args: {
      metadata: exportMetadata(metadata, 'store'),
      allow_inconsistent_metadata: options.allowInconsistent ?? false,
    },
  })) as { readonly inconsistent_objects?: readonly InconsistentEntry[] };
  context.stdout(`${options.metadata} → the server\n`);
  for (const object of answer.inconsistent_objects ?? [])
    context.stderr(`Inconsistent: ${describe(object)}\n`);
  return 0;
}

/** Prints what applying the file or directory would change; 1 if anything would. */
export async function metadataDiffCommand(
  options: MetadataCommandOptions,
  context: CommandContext,
): Promise<number> {
  const local = localMetadata(options.metadata, context);
  if (local === undefined) return 1;
  const files = differingFiles(await serverMetadata(options, context), local);
  for (const { path, before, after } of files) {
    const note =
      before === undefined ? ' (not on the server)' : after === undefined ? ' (only on the server)' : '';
    context.stdout(`${path}${note}\n${lineDifference(before ?? '', after ?? '')}\n`);
  }
  if (files.length === 0) {
    context.stdout('No difference.\n');
    return 0;
  }
  context.stdout(`${files.length} files differ; - is the server, + is ${options.metadata}.\n`);
  return 1;
}

async function serverMetadata(options: MetadataCommandOptions, context: CommandContext): Promise<Metadata> {
  const answer = await ask(options, context, { type: 'export_metadata', args: {} });
  const { value, diagnostics } = readMetadata(answer, context);
  const error = diagnostics.find(({ severity }) => severity === 'error');
  if (error)
    throw new MetadataCommandError(
      `The server's metadata cannot be read: ${error.message}. Is the server of another version?`,
    );
  // Keys that another engine has and this one has not are lost in files, and are not to be lost silently.
  context.stderr(renderDiagnostics(diagnostics, createOrigin(answer, () => undefined).describe));
  return value;
}

/** Undefined, after saying why, if it cannot be read. */
function localMetadata(path: string, context: CommandContext): Metadata | undefined {
  const { value, diagnostics, origin } = readMetadataFile(path, context);
  context.stderr(renderDiagnostics(diagnostics, origin.describe));
  if (!hasErrors(diagnostics)) return value;
  context.stderr('Nothing was sent.\n');
  return undefined;
}

function json(metadata: Metadata): string {
  return `${jsonText(exportMetadata(metadata), '  ')}\n`;
}

/** Writes the files and removes YAML files of an earlier export that are no longer needed. */
function writeDirectory(directory: string, files: ReadonlyMap<string, string>): void {
  const present = existsSync(directory)
    ? (readdirSync(directory, { recursive: true }) as string[]).map((path) => path.replaceAll('\\', '/'))
    : [];
  if (present.length > 0 && !present.includes('version.yaml')) {
    throw new MetadataCommandError(
      `The directory ${directory} holds files that are not metadata (no version.yaml). Choose an empty or new one.`,
    );
  }
  for (const path of present) {
    if (isMetadataFile(path) && !files.has(path)) rmSync(join(directory, path));
  }
  for (const [path, text] of files) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
}

/** At the top, or below `databases/`: what else lies around is not ours. */
function isMetadataFile(path: string): boolean {
  return /^(databases\/.*|[^/]*)\.yaml$/.test(path) || path === 'actions.graphql';
}

function writing(path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    if (error instanceof MetadataCommandError) throw error;
    throw new MetadataCommandError(`Cannot write to ${path}: ${fileProblem(error)}.`);
  }
}
