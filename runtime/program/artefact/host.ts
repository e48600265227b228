/** Serves the program of an artefact: nothing is loaded and nothing changes. */

import { EngineError } from '../../core/errors.ts';
import { describeConnectionError } from '../../database/connection-error.ts';
import { connectionUrl } from '../../database/connection-url.ts';
import type { SourceConnection } from '../../database/source.ts';
import { installProgram } from '../../events/install-program.ts';
import type { ConnectionInfo } from '../../metadata/metadata.ts';
import type { Host, HostContext } from '../host.ts';
import { openSource } from '../sources.ts';
import { verifyProgram } from '../verify/verify.ts';
import type { Artefact } from './artefact.ts';

/** Milliseconds in which a new server gets to its first requests. */
const VERIFY_DELAY = 500;

export interface ArtefactSourceOptions {
  /** Source → connection string with `{{NAME}}` for environment variables. */
  readonly sources: Readonly<Record<string, string>>;
  /** For the source `default`, unless named. */
  readonly databaseUrl?: string | undefined;
}

/** How to reach each source: as the options say, else as the metadata said. @throws EngineError when one has no address */
export function artefactSources(
  { manifest }: Pick<Artefact, 'manifest'>,
  { sources, databaseUrl }: ArtefactSourceOptions,
): Map<string, ConnectionInfo> {
  const unknown = Object.keys(sources).find(
    (name) => !manifest.sources.some((source) => source.name === name),
  );
  if (unknown !== undefined)
    throw new EngineError(
      'invalid-configuration',
      `there is no source ${JSON.stringify(unknown)}; the sources are ${manifest.sources.map(({ name }) => name).join(', ')}`,
    );
  return new Map(
    manifest.sources.map(({ name, connection }) => {
      const template = sources[name] ?? (name === 'default' ? databaseUrl : undefined);
      if (template === undefined && !connection)
        throw new EngineError(
          'invalid-configuration',
          `the source ${JSON.stringify(name)} has no address: give one with --source ${name}=URL`,
        );
      const info = connection ?? { isolation_level: 'read-committed' as const };
      const address = template === undefined ? {} : { database_url: { kind: 'template' as const, template } };
      return [name, { ...info, ...address } as ConnectionInfo];
    }),
  );
}

/**
 * @param strict refuse to serve when the databases are not what the SQL was compiled for
 * @throws EngineError when a source has no address, or with `strict` when operations would break
 */
export async function hostArtefact(
  artefact: Artefact,
  options: ArtefactSourceOptions & { readonly strict: boolean },
  context: HostContext,
): Promise<Host> {
  const { configuration, observe } = context;
  const { hash, engine, roles } = artefact.manifest;
  observe({ kind: 'startup', step: 'artefact', info: { hash, engine, ...(roles && { roles }) } });
  const infos = artefactSources(artefact, { databaseUrl: configuration.databaseUrl, ...options });
  if (options.strict && (await verify(artefact, infos, context)) !== 'fits')
    throw new EngineError(
      'invalid-configuration',
      'the databases are not what this artefact was compiled for; the log and the command verify say what differs',
    );
  const sources = new Map<string, SourceConnection>(
    [...infos].map(([name, info]) => [name, openSource(name, info, context)]),
  );
  await installProgram(artefact.program.events, sources, context.configuration.vocabulary, observe);
  context.prepare(artefact.program, sources).activate();
  // Requests do not wait for it: broken operations are reported, all others are served.
  if (!options.strict) setTimeout(() => void verify(artefact, infos, context), VERIFY_DELAY).unref();
  return {
    endpoints: [],
    cron: artefact.program.events?.cron ?? [],
    health: async () => 'ok',
    stop: async () => {
      await Promise.all([...sources.values()].map((source) => source.end()));
    },
  };
}

/** Compares with the databases and logs the result. Never fails: a database may come later than the server. */
async function verify(
  { program, manifest }: Artefact,
  infos: ReadonlyMap<string, ConnectionInfo>,
  { configuration, environment, observe }: HostContext,
): Promise<'fits' | 'breaks' | 'unknown'> {
  const report = (info: object) => observe({ kind: 'startup', step: 'verify', info });
  try {
    const databases = [...infos].map(([name, info]) => {
      const address = connectionUrl(info.database_url, info.ssl_configuration, {
        environment,
        allowedFolder: configuration.dynamicSecretsAllowedPathPrefix,
        vocabulary: configuration.vocabulary,
      });
      return [name, address()] as const;
    });
    const { verdict, changes, expected } = await verifyProgram(program, new Map(databases), manifest.refused);
    const breaks = new Set(changes.flatMap(({ breaks }) => breaks.map(({ name }) => name)));
    report({
      verdict,
      fingerprint: expected,
      ...(changes.length > 0 && {
        changes: changes.map(({ object, before, after }) => `${object}: ${before} → ${after ?? 'gone'}`),
        breaks: [...breaks],
      }),
    });
    return verdict === 'breaking' ? 'breaks' : 'fits';
  } catch (error) {
    report({ verdict: 'unknown', reason: describeConnectionError(error) });
    return 'unknown';
  }
}
