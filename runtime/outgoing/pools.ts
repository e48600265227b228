/** Pools of connections to hosts, whose addresses are checked. Apart from their use, because loading the client takes time. */
import { buildConnector, Pool } from 'undici';
import type { Guard } from './guard.ts';

/** Milliseconds for TCP and TLS. A call's own deadline is usually earlier; this one frees its place. */
const CONNECT_TIMEOUT = 10_000;

/** @param connections maximum of each pool */
export function createPools(guard: Guard, connections: number): { readonly open: (origin: string) => Pool } {
  const connectTo = buildConnector({ timeout: CONNECT_TIMEOUT, lookup: guard.lookup });
  const connect: buildConnector.connector = (target, done) => {
    try {
      guard.checkHost(target.hostname);
    } catch (error) {
      return done(error as Error, null);
    }
    connectTo(target, done);
  };
  return {
    open: (origin) => new Pool(origin, { connect, connections, headersTimeout: 0, bodyTimeout: 0 }),
  };
}
