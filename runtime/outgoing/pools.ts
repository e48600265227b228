/** Pools of connections to hosts, whose addresses are checked. Apart from their use, because loading the client takes time. */
import { buildConnector, Pool } from 'undici';
import type { Guard } from './guard.ts';

/** Milliseconds for TCP and TLS. A call's own deadline is usually earlier; this one frees its place. */
const CONNECT_TIMEOUT = 10_000;

export interface Pools {
  /** @param verified certificates are verified */
  readonly open: (origin: string, verified: boolean) => Pool;
}

/** @param connections maximum of each pool */
export function createPools(guard: Guard, connections: number): Pools {
  const connector = (verified: boolean): buildConnector.connector => {
    const connectTo = buildConnector({
      timeout: CONNECT_TIMEOUT,
      lookup: guard.lookup,
      rejectUnauthorized: verified,
    });
    return (target, done) => {
      try {
        guard.checkHost(target.hostname);
      } catch (error) {
        return done(error as Error, null);
      }
      connectTo(target, done);
    };
  };
  // A connector has the TLS sessions of its targets: what was not verified is not resumed as if it were.
  const connectors = { verified: connector(true), unverified: connector(false) };
  return {
    open: (origin, verified) =>
      new Pool(origin, {
        connect: verified ? connectors.verified : connectors.unverified,
        connections,
        headersTimeout: 0,
        bodyTimeout: 0,
      }),
  };
}
