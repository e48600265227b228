/** POST /v1alpha1/pg_dump: the schema of a source as SQL, as the `pg_dump` on the PATH writes it. */

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EngineError, pathStep } from '../../core/errors.ts';
import { ADMIN_ROLE, type Session } from '../../core/session.ts';
import { OPTIONS } from '../../database/address-options.ts';
import { type ConnectionConfiguration, encryptionOf, optionsOf } from '../../database/ways.ts';
import { parseJson } from '../../http/body.ts';
import { validate } from '../../metadata/codec.ts';
import { object, requiredList, withDefault } from '../../metadata/combinators.ts';
import type { ConnectionInfo } from '../../metadata/metadata.ts';
import { boolean, text } from '../../metadata/values.ts';
import { findSource } from '../change/edit.ts';
import type { MetadataState } from '../change/state.ts';
import { sourceArgument } from '../request/arguments.ts';
import { cleanDump, refusedOption } from './dump-options.ts';

const run = promisify(execFile);

const LARGEST_DUMP = 1024 * 1024 * 1024;

const dumpRequest = object({
  opts: requiredList(text),
  clean_output: withDefault(boolean, false),
  source: sourceArgument,
});

/**
 * @param locate where a source's database is
 * @returns SQL
 * @throws EngineError not-supported if no `pg_dump` fits the database
 */
export async function dumpSource(
  state: MetadataState,
  body: string,
  session: Session,
  locate: (info: ConnectionInfo) => ConnectionConfiguration | Promise<ConnectionConfiguration>,
): Promise<string> {
  const { value, problems } = validate(dumpRequest, parseJson(body), session.vocabulary);
  if (value === undefined) {
    const [problem] = problems;
    const path = problem!.path.reduce<string>((base, step) => pathStep(base, step), '$');
    throw new EngineError('parse-failed', problem!.message, { path });
  }
  if (session.role !== ADMIN_ROLE)
    throw new EngineError('access-denied', 'You have to be an admin to access this endpoint', { path: '$' });
  const refused = refusedOption(value.opts);
  if (refused !== undefined) {
    throw new EngineError('invalid-params', `the option ${JSON.stringify(refused)} is not allowed here`, {
      path: '$.opts',
    });
  }
  const source = findSource(state.metadata, value.source);
  const open = state.sources.get(value.source);
  if (open === undefined)
    throw new EngineError('unexpected', `source "${value.source}" is inconsistent`, { status: 400 });
  const { rows } = await open.database.query("select current_setting('server_version_num')::int as version");
  await requireFittingProgram(Math.floor(Number((rows[0] as { version: number }).version) / 10_000));
  const dump = await runProgram(value.opts, await locate(source.configuration.connection_info));
  return value.clean_output ? cleanDump(dump) : dump;
}

/** @throws EngineError not-supported */
async function requireFittingProgram(serverVersion: number): Promise<void> {
  const found = await run('pg_dump', ['--version']).catch(() => undefined);
  if (found === undefined) {
    throw notSupported(
      `pg_dump was not found on the PATH of the server; install the client programs of PostgreSQL ${serverVersion}`,
    );
  }
  const version = Number(/\) (\d+)/.exec(found.stdout)?.[1]);
  if (version >= serverVersion) return;
  throw notSupported(
    `the pg_dump on the PATH of the server is version ${version}, and the database is PostgreSQL ${serverVersion}; ` +
      `install the client programs of PostgreSQL ${serverVersion} or newer`,
  );
}

function notSupported(message: string): EngineError {
  return new EngineError('not-supported', message, { path: '$' });
}

/** Passwords go by the environment: arguments are there for everyone to see. */
async function runProgram(given: readonly string[], configuration: ConnectionConfiguration): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'engine-dump-'));
  try {
    const { stdout } = await run('pg_dump', [...given, '--no-password'], {
      maxBuffer: LARGEST_DUMP,
      env: { PATH: process.env.PATH, ...(await addressVariables(configuration, folder)) },
    });
    return stdout;
  } catch (error) {
    if (error instanceof EngineError) throw error;
    const { stderr } = error as { stderr?: string };
    throw new EngineError('unexpected', 'error while executing pg_dump', {
      path: '$',
      internal: { message: stderr?.trim() ?? 'it could not be started' },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The environment variables by which programs of PostgreSQL connect as the engine does.
 * @param folder for the files with certificates that they name, which only this user may read
 * @throws EngineError not-supported
 */
export async function addressVariables(
  configuration: ConnectionConfiguration,
  folder: string,
): Promise<Readonly<Record<string, string>>> {
  const options = optionsOf(configuration);
  const { mode, ca, cert, key, passphrase } = encryptionOf(configuration, options);
  if (passphrase !== undefined) throw notSupported('pg_dump of an address with sslpassword is not supported');
  const variables: Record<string, string> = {};
  for (const [name, value] of options) {
    const { variable } = OPTIONS[name]!;
    if (variable !== undefined) variables[variable] = value;
  }
  variables.PGSSLMODE = mode;
  if (ca === undefined && mode === 'verify-full') variables.PGSSLROOTCERT = 'system';
  for (const [variable, content] of Object.entries({ PGSSLROOTCERT: ca, PGSSLCERT: cert, PGSSLKEY: key })) {
    if (content === undefined) continue;
    variables[variable] = join(folder, variable);
    await writeFile(variables[variable], content, { mode: 0o600 });
  }
  return variables;
}
