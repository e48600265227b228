/**
 * Installs what records writes in the databases of sources whose metadata ask for it, and on tables that are tracked later.
 * It happens behind the program: requests and live queries do not wait for it, nor depend on it.
 */
import type { QualifiedName } from '../../core/names.ts';
import type { ProgramContent } from '../../core/program/program.ts';
import type { Observer } from '../../observe/logs/observe.ts';
import type { SourceConnection, SourceConnections } from '../source.ts';
import { captureStatus, installCapture } from './install.ts';

/** Milliseconds before an installation that failed is tried again. */
const RETRY = 60_000;
/** Held while installing, so that two servers do not create the same objects. An arbitrary constant. */
const INSTALL_LOCK = 7_264_021;

export interface CaptureKeeper {
  /** Installs what a program asks for. */
  readonly use: (program: Pick<ProgramContent, 'sources' | 'tables'>, connections: SourceConnections) => void;
  readonly stop: () => void;
}

interface Wanted {
  readonly connection: SourceConnection;
  readonly tables: readonly QualifiedName[];
  /** Equal for programs that ask for the same. */
  readonly key: string;
}

export function createCaptureKeeper(observe: Observer): CaptureKeeper {
  const wanted = new Map<string, Wanted>();
  const running = new Set<string>();
  const retries = new Map<string, NodeJS.Timeout>();

  /** Until what is wanted is installed. */
  const install = async (source: string): Promise<void> => {
    clearTimeout(retries.get(source));
    if (running.has(source)) return;
    running.add(source);
    let done: Wanted | undefined;
    try {
      for (let next = wanted.get(source); next && next !== done; next = wanted.get(source)) {
        await installOnce(next);
        done = next;
      }
    } catch (error) {
      if (wanted.has(source)) {
        const reason = error instanceof Error ? error.message : String(error);
        const message = `Source "${source}": the triggers for live queries cannot be installed; tried again in a minute. ${reason}`;
        observe({ kind: 'unstructured', level: 'warn', message });
        retries.set(source, setTimeout(() => install(source), RETRY).unref());
      }
    }
    running.delete(source);
  };

  return {
    use: ({ sources, tables }, connections) => {
      const left = new Set(wanted.keys());
      for (const { name, recordWrites } of sources) {
        const connection = recordWrites && connections.get(name);
        if (!connection) continue;
        left.delete(name);
        const own = tables.flatMap(({ source, shape }) => (source.name === name ? [shape] : []));
        const key = JSON.stringify(own.map(({ schema, name: table }) => [schema, table]));
        const before = wanted.get(name);
        if (before?.connection === connection && before.key === key) continue;
        wanted.set(name, { connection, tables: own, key });
        void install(name);
      }
      for (const name of left) wanted.delete(name);
    },
    stop: () => {
      wanted.clear();
      for (const retry of retries.values()) clearTimeout(retry);
    },
  };
}

async function installOnce({ connection, tables }: Wanted): Promise<void> {
  await connection.withClient(async (client) => {
    await client.query('select pg_advisory_lock($1)', [INSTALL_LOCK]);
    const missing = (await captureStatus(client, tables)).filter(({ complete }) => !complete);
    if (missing.length > 0) await installCapture(client, missing);
  });
}
