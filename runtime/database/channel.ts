/** Channels of PostgreSQL (LISTEN / NOTIFY). A pooler may keep them from working, so listeners poll as well. */
import { DatabaseClient } from './client.ts';
import type { ConnectionConfiguration } from './ways.ts';

export interface ChannelListener {
  readonly stop: () => Promise<void>;
}

/** Milliseconds between attempts to listen again. */
const RELISTEN_DELAY = 2000;

/**
 * Listens on a connection of its own, which is opened again when it breaks.
 * @param name what `pg_stat_activity` calls the connection
 */
export function listenTo(
  channel: string,
  configuration: ConnectionConfiguration,
  name: string,
  notified: () => void,
): ChannelListener {
  let client: DatabaseClient | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const again = () => {
    client = undefined;
    if (stopped || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      void listen();
    }, RELISTEN_DELAY);
    timer.unref();
  };
  const listen = async () => {
    const opening = new DatabaseClient({ ...configuration, application_name: name });
    client = opening;
    opening.on('error', again);
    opening.on('end', again);
    opening.on('notification', notified);
    try {
      await opening.connect();
      await opening.query(`listen ${channel}`);
    } catch {
      await opening.end().catch(() => {});
      again();
    }
  };
  const listening = listen();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await listening;
      await client?.end().catch(() => {});
    },
  };
}
