/** A `pg` client that ends alone: neither an error nor what the server sends reaches beyond its connection. */
import type { Duplex } from 'node:stream';
import pg from 'pg';

interface Wire {
  readonly stream: Duplex;
  attachListeners: (stream: Duplex) => void;
}

/** Every connection of the runtime to a PostgreSQL server is one of these. */
export class DatabaseClient extends pg.Client {
  constructor(configuration?: pg.ClientConfig) {
    super(configuration);
    // An error of an idle connection is reported by its next query; without a listener it would end the process.
    this.on('error', () => {});
    const { connection } = this as unknown as { readonly connection: Wire };
    guardEvents(connection.stream);
    const attach = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => {
      // TLS replaces the stream.
      if (!Object.hasOwn(stream, 'emit')) guardEvents(stream);
      attach(stream);
    };
  }
}

/** Has an exception in any handler of the stream's events close the stream: its queries fail with that error. */
function guardEvents(stream: Duplex): void {
  const emit = stream.emit.bind(stream) as (...event: unknown[]) => boolean;
  stream.emit = (...event: unknown[]) => {
    try {
      return emit(...event);
    } catch (error) {
      stream.destroy(error as Error);
      return true;
    }
  };
}
