/**
 * Connections on which an operation may take a limited time (reference server §10). Postgres itself ends what takes longer,
 * so that nothing runs on for an answer that nobody waits for.
 */
import pg from 'pg';
import { EngineError } from '../core/errors.ts';
import type { SourceConnection, SourceConnections, SourceTransaction } from '../database/source.ts';

const QUERY_CANCELED = '57014';
const SET_TIME_OUT = { text: `select set_config('statement_timeout', $1, true)` };

/** The connections as one operation sees them. @param seconds from now */
export function limitTime(sources: SourceConnections, seconds: number): SourceConnections {
  const deadline = performance.now() + seconds * 1000;
  const limited = new Map<string, SourceConnection>();
  for (const [name, source] of sources) limited.set(name, limitSource(source, deadline, seconds));
  return limited;
}

function limitSource(source: SourceConnection, deadline: number, seconds: number): SourceConnection {
  const transaction: SourceConnection['transaction'] = (run) =>
    source.transaction((inner) => run(limitStatements(inner, deadline, seconds)));
  return {
    ...source,
    transaction,
    // Shared connections have no settings of their own: a read gets a transaction.
    readTexts: (statement, values) => transaction(({ readTexts }) => readTexts(statement, values, true)),
    writeTexts: (statement, values) => transaction(({ readTexts }) => readTexts(statement, values, true)),
  };
}

function limitStatements(inner: SourceTransaction, deadline: number, seconds: number): SourceTransaction {
  return {
    attempt: (part) => inner.attempt(part),
    readTexts: async (statement, values, isLast) => {
      const left = Math.floor(deadline - performance.now());
      if (left < 1) throw outOfTime(seconds);
      await inner.readTexts(SET_TIME_OUT, [String(left)]);
      try {
        return await inner.readTexts(statement, values, isLast);
      } catch (error) {
        throw error instanceof pg.DatabaseError && error.code === QUERY_CANCELED ? outOfTime(seconds) : error;
      }
    },
  };
}

function outOfTime(seconds: number): EngineError {
  return new EngineError('timeout', `the operation took longer than ${seconds} seconds`);
}
