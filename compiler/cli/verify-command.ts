/** `engine verify`: whether compiled SQL still fits the databases. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Artefact } from '../../runtime/program/artefact/artefact.ts';
import { verifyCommand } from '../../runtime/program/artefact/main.ts';
import { createLoader } from '../../runtime/program/loader.ts';
import { type CommandContext, UsageError } from './command.ts';

export interface VerifyOptions {
  /** NAME → URL. */
  readonly source?: ReadonlyMap<string, string>;
  readonly databaseUrl?: string;
  readonly json?: true;
}

/** Verifies an artefact or a folder of generated code. Returns the exit status. @throws UsageError */
export async function verifyPlace(
  place: string,
  { source, databaseUrl, json }: VerifyOptions,
  context: CommandContext,
): Promise<number> {
  const artefact = await openArtefact(place);
  const options = {
    sources: Object.fromEntries(source ?? []),
    databaseUrl: databaseUrl ?? context.environment[context.vocabulary.environment('DATABASE_URL')],
  };
  return verifyCommand(artefact, options, json ?? false, context);
}

async function openArtefact(place: string): Promise<Pick<Artefact, 'manifest' | 'program'>> {
  if (!existsSync(place)) throw new UsageError(`There is no ${place}.`);
  const file = statSync(place).isDirectory() ? join(place, 'server.mjs') : place;
  if (existsSync(file)) {
    const module = (await import(pathToFileURL(resolve(file)).href)) as { artefact?: Artefact };
    if (!module.artefact) throw new UsageError(`${file} was not made by engine build.`);
    return module.artefact;
  }
  if (!existsSync(join(place, 'index.ts')))
    throw new UsageError(`${place} is neither an artefact nor generated code: no server.mjs, no index.ts.`);
  const program = await createLoader().load(readGenerated(place));
  const sources = program.sources.map(({ name }) => ({ name }));
  const manifest = { format: 1, engine: '', hash: '', fingerprint: '', sources, environment: [] } as const;
  return { manifest, program };
}

function readGenerated(folder: string): Map<string, string> {
  return new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [relative(folder, path).split(sep).join('/'), readFileSync(path, 'utf8')];
      }),
  );
}
