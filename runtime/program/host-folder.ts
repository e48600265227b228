/** Serves a compiled folder as it is: no metadata, no compiler, nothing that changes. */

import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { EngineError } from '../core/errors.ts';
import { fileProblem } from '../core/reasons.ts';
import type { SourceConnection } from '../database/source.ts';
import { installProgram } from '../events/install-program.ts';
import type { Host, HostContext } from './host.ts';
import { createLoader } from './loader.ts';
import { editedFiles, MANIFEST } from './manifest.ts';
import { openSource } from './sources.ts';

export interface CompiledFolder {
  readonly directory: string;
  /** Source → connection string with `{{NAME}}` for environment variables; `default` may come from the configuration. */
  readonly sources: Readonly<Record<string, string>>;
  /** Serve files that are not as the compiler wrote them. */
  readonly allowEdited?: boolean;
}

/** @throws EngineError when the folder has no program, or a source no address */
export async function hostFolder(folder: CompiledFolder, context: HostContext): Promise<Host> {
  const { configuration } = context;
  const files = await readGenerated(folder.directory);
  if (!folder.allowEdited) requireUnedited(folder.directory, files);
  files.delete(MANIFEST);
  const program = await createLoader().load(files);
  const sources = new Map<string, SourceConnection>();
  for (const { name } of program.sources) {
    const template = folder.sources[name] ?? (name === 'default' ? configuration.databaseUrl : undefined);
    if (template === undefined) {
      throw new EngineError(
        'invalid-configuration',
        `the source ${JSON.stringify(name)} has no address: give one with --source ${name}=URL`,
      );
    }
    const info = {
      database_url: { kind: 'template', template },
      isolation_level: configuration.txIso,
    } as const;
    sources.set(name, openSource(name, info, context));
  }
  await installProgram(program.events, sources, context.configuration.vocabulary, context.observe);
  context.prepare(program, sources).activate();
  return {
    endpoints: [],
    cron: program.events?.cron ?? [],
    health: async () => 'ok',
    stop: async () => {
      await Promise.all([...sources.values()].map((source) => source.end()));
    },
  };
}

/** Refuses a folder that is not as it was compiled and reviewed. @throws EngineError */
function requireUnedited(directory: string, files: ReadonlyMap<string, string>): void {
  const edited = editedFiles(files);
  if (edited?.length === 0) return;
  const problem =
    edited === undefined
      ? `the folder ${directory} has no readable ${MANIFEST}`
      : `files of ${directory} are not as the compiler wrote them: ${edited.join(', ')}`;
  throw new EngineError(
    'invalid-configuration',
    `${problem}. Compile again, or serve them with --allow-edited to try something out`,
  );
}

async function readGenerated(directory: string): Promise<Map<string, string>> {
  let entries: Awaited<ReturnType<typeof list>>;
  try {
    entries = await list(directory);
  } catch (error) {
    const message = `the folder ${directory} cannot be served: ${fileProblem(error)}. Compile into it first`;
    throw new EngineError('not-found', message);
  }
  const files = new Map<string, string>();
  for (const path of entries)
    files.set(relative(directory, path).split(sep).join('/'), await readFile(path, 'utf8'));
  if (!files.has('index.ts')) {
    throw new EngineError('not-found', `the folder ${directory} has no index.ts: compile into it first`);
  }
  return files;
}

async function list(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((path) => path.endsWith('.ts') || path === join(directory, MANIFEST));
}
