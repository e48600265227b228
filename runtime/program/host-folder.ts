/** Serves a compiled folder as it is: no metadata, no compiler, nothing that changes. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { EngineError } from '../core/errors.ts';
import type { SourceConnection } from '../database/source.ts';
import { installProgram } from '../events/install-program.ts';
import type { Host, HostContext } from './host.ts';
import { createLoader, type GeneratedFiles } from './loader.ts';
import { openSource } from './sources.ts';

export interface CompiledFolder {
  readonly directory: string;
  /** Source → connection string with `{{NAME}}` for environment variables; `default` may come from the configuration. */
  readonly sources: Readonly<Record<string, string>>;
}

/** @throws EngineError when the folder has no program, or a source no address */
export async function hostFolder(folder: CompiledFolder, context: HostContext): Promise<Host> {
  const { configuration } = context;
  const program = await createLoader().load(await readGenerated(folder.directory));
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
  await installProgram(program.events, sources, context.observe);
  context.prepare(program, sources).activate();
  return {
    endpoints: [],
    health: async () => 'ok',
    stop: async () => {
      await Promise.all([...sources.values()].map((source) => source.end()));
    },
  };
}

async function readGenerated(directory: string): Promise<GeneratedFiles> {
  let entries: Awaited<ReturnType<typeof list>>;
  try {
    entries = await list(directory);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : 'cannot be read';
    throw new EngineError('not-found', `the folder ${directory} ${reason}: compile into it first`);
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
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}
