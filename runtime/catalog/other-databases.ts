/** Databases that speak the protocol of PostgreSQL and are not: which one it is, and what to expect of it. */
import { EngineError } from '../core/errors.ts';
import type { RunQuery } from './introspect.ts';

/** @param version what `version()` answers; undefined for PostgreSQL and what is made of its code */
export function otherDatabase(version: string): 'CockroachDB' | 'YugabyteDB' | undefined {
  if (version.startsWith('CockroachDB')) return 'CockroachDB';
  return /-YB-|YugabyteDB/.test(version) ? 'YugabyteDB' : undefined;
}

/** Why the catalog of a database could not be read: that it is another one, where it is; else what it said. */
export async function explainedFailure(error: unknown, query: RunQuery): Promise<unknown> {
  const version = await query('select version() as version').then(
    ({ rows }) => String(rows[0]?.version),
    () => '',
  );
  const name = otherDatabase(version);
  if (name === undefined) return error;
  return new EngineError(
    'not-supported',
    `the database is ${name}, whose catalogs cannot be read: it lacks what Engine needs of PostgreSQL. docs/citus.md lists what works on other databases`,
    { cause: error },
  );
}
