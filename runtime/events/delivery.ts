/** Calls webhooks for events: one delivery for each source whose program has event triggers. */
import type { Configuration } from '../configuration/configuration.ts';
import type { EventsProgram } from '../core/contract/events.ts';
import type { Environment } from '../core/environment-template.ts';
import type { SourceConnection, SourceConnections } from '../database/source.ts';
import type { Observer } from '../observe/logs/observe.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import { deliverSource, type SourceEventsDelivery } from './source-events.ts';

export interface EventsContext {
  readonly configuration: Pick<
    Configuration,
    'eventsHttpPoolSize' | 'eventsFetchInterval' | 'eventsFetchBatchSize' | 'disableEventing'
  >;
  readonly environment: Environment;
  readonly observe: Observer;
  readonly outgoing: Outgoing;
}

export interface EventsDelivery {
  /** Delivers what a program says from now on; sources that it does not have are left, once their calls have ended. */
  use(program: EventsProgram | undefined, sources: SourceConnections): void;
  /** Stops claiming, waits for running calls and records what became of them. @param grace milliseconds */
  stop(grace: number): Promise<void>;
  /** Calls that run. */
  readonly running: number;
}

/** Milliseconds that calls of a source may take to end once the program no longer has it. */
const RETIREMENT = 8_000;

export function createDelivery(context: EventsContext): EventsDelivery {
  const { configuration } = context;
  const isOff = configuration.disableEventing || configuration.eventsFetchBatchSize === 0;
  const running = new Map<string, { connection: SourceConnection; delivery: SourceEventsDelivery }>();
  const ending = new Set<Promise<void>>();
  const end = (delivery: SourceEventsDelivery, grace: number) => {
    const stopped = delivery.stop(grace).finally(() => ending.delete(stopped));
    ending.add(stopped);
    return stopped;
  };
  return {
    use: (program, sources) => {
      if (isOff) return;
      const wanted = new Map(program?.sources.map(({ source, triggers }) => [source, triggers]));
      for (const [source, { connection, delivery }] of running) {
        if (wanted.has(source) && sources.get(source) === connection) continue;
        running.delete(source);
        void end(delivery, RETIREMENT);
      }
      for (const [source, triggers] of wanted) {
        const connection = sources.get(source);
        if (connection === undefined) continue;
        const known = running.get(source)?.delivery;
        const delivery = known ?? deliverSource(source, connection, context);
        if (known === undefined) running.set(source, { connection, delivery });
        delivery.use(triggers);
      }
    },
    stop: async (grace) => {
      const stopping = [...running.values()].map(({ delivery }) => end(delivery, grace));
      running.clear();
      await Promise.all([...stopping, ...ending]);
    },
    get running() {
      let sum = 0;
      for (const { delivery } of running.values()) sum += delivery.running;
      return sum;
    },
  };
}
