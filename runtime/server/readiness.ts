/**
 * Whether the server should get requests now, and how the databases of its sources are. Probes ask often and from several
 * places: at most one check of a source runs at a time, and its result counts for a second.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { remember } from '../core/remember.ts';
import {
  askSource,
  type HealthChecks,
  type SourceHealth,
  type SourceStatus,
} from '../database/health-checks.ts';
import type { SourceConnection, SourceConnections } from '../database/source.ts';
import type { Health } from '../http/health.ts';

/** Milliseconds that a result counts. */
const FRESH = 1000;
/** Milliseconds that `known` waits for databases. */
const SOON = 10;
/** Seconds that a database has to answer. */
const TIMEOUT = 5;
/** Milliseconds without a turn of the event loop after which the process counts as stuck. */
const STUCK = 5000;

/** Remembers the result of a check for a while. Those who ask meanwhile share it. */
function shared<Value>(check: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined;
  let until = 0;
  return () => {
    if (!running || performance.now() > until) {
      until = Number.POSITIVE_INFINITY;
      running = check().finally(() => {
        until = performance.now() + FRESH;
      });
    }
    return running;
  };
}

export interface Readiness {
  /** Whether the event loop turns. Asks no database. */
  readonly alive: () => boolean;
  /** Why the server should get no requests: `starting`, `draining`, `metadata-database`, `source:<name>`. */
  readonly reasons: () => Promise<readonly string[]>;
  /** By name of the source. */
  readonly sources: () => Promise<Readonly<Record<string, SourceHealth>>>;
  /** Last known state of each source; does not wait long for its database. */
  readonly known: () => Promise<Readonly<Record<string, SourceStatus>>>;
  /** From now on the server is not ready. */
  readonly drain: () => void;
  readonly draining: boolean;
  readonly stop: () => void;
}

/**
 * @param sources of what is served now; undefined while nothing is
 * @param required names of the sources without which the server is not ready
 * @param healthChecks answers for the sources that have one
 */
export function createReadiness(
  sources: () => SourceConnections | undefined,
  health: () => Health | Promise<Health>,
  required: readonly string[],
  healthChecks: HealthChecks,
): Readiness {
  let beat = performance.now();
  const heart = setInterval(() => {
    beat = performance.now();
  }, 1000).unref();
  let draining = false;
  // Connections come and go with the metadata; a check goes with its connection.
  const checks = new WeakMap<SourceConnection, () => Promise<SourceHealth>>();
  const results = new WeakMap<SourceConnection, SourceHealth>();
  const check = async (name: string, connection: SourceConnection) => {
    const asked =
      healthChecks.of(name) ??
      remember(checks, connection, () => shared(() => askSource(connection, TIMEOUT)))();
    const result = await asked;
    results.set(connection, result);
    return result;
  };
  const checkHealth = shared(async () => health());
  const isMissing = async (name: string) => {
    const connection = sources()?.get(name);
    return !connection || (await check(name, connection)).status !== 'OK';
  };
  return {
    alive: () => performance.now() - beat < STUCK,
    reasons: async () => {
      if (draining) return ['draining'];
      if (!sources()) return ['starting'];
      const [state, ...missing] = await Promise.all([checkHealth(), ...required.map(isMissing)]);
      return [
        ...(state === 'unreachable' ? ['metadata-database'] : []),
        ...required.filter((_, index) => missing[index]).map((name) => `source:${name}`),
      ];
    },
    sources: async () =>
      Object.fromEntries(
        await Promise.all(
          [...(sources() ?? [])].map(
            async ([name, connection]) => [name, await check(name, connection)] as const,
          ),
        ),
      ),
    known: async () => {
      const all = [...(sources() ?? [])];
      await Promise.race([
        Promise.all(all.map(([name, connection]) => check(name, connection))),
        delay(SOON),
      ]);
      return Object.fromEntries(
        all.flatMap(([name, connection]) => {
          const result = results.get(connection);
          return result ? [[name, result.status] as const] : [];
        }),
      );
    },
    drain: () => {
      draining = true;
    },
    get draining() {
      return draining;
    },
    stop: () => clearInterval(heart),
  };
}
