/** The `health_check` of sources: a statement at an interval, repeated before a source counts as unwell. */
import { setTimeout as delay } from 'node:timers/promises';
import type { HealthCheck } from '../metadata/metadata.ts';
import { ConnectionFailedError, tookTooLong } from './failures.ts';
import type { SourceConnection, SourceConnections } from './source.ts';

export type SourceStatus = 'OK' | 'TIMEOUT' | 'FAILED' | 'ERROR';

/** How a source's database was when it was last asked. */
export interface SourceHealth {
  /** `FAILED`: no connection. `ERROR`: it refused a statement. */
  readonly status: SourceStatus;
  readonly error?: string;
  /** ISO 8601. */
  readonly timestamp: string;
}

/** By name of the source. */
export type CheckedSources = ReadonlyMap<string, HealthCheck>;

export interface HealthChecks {
  /** Runs these from now on; those that stay go on. */
  readonly use: (checks: CheckedSources) => void;
  /** The last result of a source's check, at first that of its first attempt; undefined: it has no check. */
  readonly of: (source: string) => Promise<SourceHealth> | undefined;
  readonly stop: () => void;
}

interface Running {
  readonly text: string;
  readonly stop: AbortController;
  latest: Promise<SourceHealth>;
}

/** @param sources of what is served now */
export function createHealthChecks(sources: () => SourceConnections | undefined): HealthChecks {
  const running = new Map<string, Running>();
  const begin = (name: string, check: HealthCheck): Running => {
    const { interval = 60, retries = 3, retry_interval: pause = 10, timeout = 10, test } = check;
    const stop = new AbortController();
    const wait = (seconds: number) =>
      delay(seconds * 1000, undefined, { signal: stop.signal, ref: false }).then(
        () => true,
        () => false,
      );
    const ask = async () => {
      const connection = sources()?.get(name);
      return connection
        ? askSource(connection, timeout, test?.sql)
        : { status: 'FAILED' as const, error: 'the source is not served', timestamp: now() };
    };
    const checking: Running = { text: JSON.stringify(check), stop, latest: ask() };
    const repeat = async () => {
      let result = await checking.latest;
      for (;;) {
        for (let tries = 0; result.status !== 'OK' && tries < retries && (await wait(pause)); tries += 1)
          result = await ask();
        checking.latest = Promise.resolve(result);
        if (!(await wait(interval))) return;
        result = await ask();
      }
    };
    void repeat();
    return checking;
  };
  const end = (name: string) => {
    running.get(name)?.stop.abort();
    running.delete(name);
  };
  return {
    use: (checks) => {
      for (const name of [...running.keys()]) if (!checks.has(name)) end(name);
      for (const [name, check] of checks) {
        if (running.get(name)?.text === JSON.stringify(check)) continue;
        end(name);
        running.set(name, begin(name, check));
      }
    },
    of: (source) => running.get(source)?.latest,
    stop: () => {
      for (const name of [...running.keys()]) end(name);
    },
  };
}

/**
 * Asks a database how it is. Never rejects.
 * @param timeout seconds that it has to answer
 * @param sql instead of asking for nothing; ended in the database after the same time
 */
export async function askSource(
  connection: SourceConnection,
  timeout: number,
  sql?: string,
): Promise<SourceHealth> {
  const late = new AbortController();
  const tooLate = delay(timeout * 1000, 'TIMEOUT' as const, { signal: late.signal, ref: false }).catch(
    () => 'TIMEOUT' as const,
  );
  const asking =
    sql === undefined
      ? connection.readTexts({ text: "select '1'::text" }, [])
      : connection.withClient(async (client) => {
          await client.query(`set statement_timeout = ${Math.ceil(timeout * 1000)}`);
          await client.query(sql);
        });
  const asked = asking.then(
    () => 'OK' as const,
    (error: unknown) => error as Error,
  );
  const result = await Promise.race([asked, tooLate]);
  late.abort();
  const timestamp = now();
  if (result === 'OK') return { status: 'OK', timestamp };
  if (result === 'TIMEOUT' || tookTooLong(result))
    return { status: 'TIMEOUT', error: `no answer within ${timeout} seconds`, timestamp };
  // The texts of connection errors may hold addresses.
  return result instanceof ConnectionFailedError
    ? { status: 'FAILED', error: 'cannot connect to the database', timestamp }
    : { status: 'ERROR', error: result.message, timestamp };
}

function now(): string {
  return new Date().toISOString();
}
