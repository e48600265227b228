/**
 * Connections on which an operation may take a limited time. Postgres itself ends what takes longer,
 * so that no statement outlives its request.
 */
import { EngineError } from '../core/errors.ts';
import type { BoundStatement } from '../database/connection.ts';
import { StatementFailedError, tookTooLong } from '../database/failures.ts';
import type { SourceConnection, SourceConnections } from '../database/source.ts';

/**
 * Goes ahead of each statement: what is left of so many milliseconds, counted from the beginning of the transaction, or what
 * is the limit anyway.
 */
const LIMIT_TIME = `select set_config('statement_timeout', least(
  nullif(extract(epoch from current_setting('statement_timeout')::interval) * 1000, 0),
  greatest(1, ($1)::integer - extract(epoch from clock_timestamp() - now()) * 1000)
)::integer::text, true)`;

/** Milliseconds: whole ones are counted, here and there. */
const NEARLY = 5;

/** The connections as one operation sees them. @param seconds from now */
export function limitTime(sources: SourceConnections, seconds: number): SourceConnections {
  const deadline = performance.now() + seconds * 1000;
  const limited = new Map<string, SourceConnection>();
  for (const [name, source] of sources) limited.set(name, limitSource(source, deadline, seconds));
  return limited;
}

function limitSource(source: SourceConnection, deadline: number, seconds: number): SourceConnection {
  const left = () => Math.floor(deadline - performance.now());
  const limit: BoundStatement = {
    text: LIMIT_TIME,
    get values() {
      return [String(Math.max(1, left()))];
    },
  };
  const limited = async <Row>(
    statements: readonly BoundStatement[],
    run: (all: readonly BoundStatement[]) => Promise<readonly Row[]>,
  ) => {
    if (left() < 1) throw outOfTime(seconds);
    try {
      const rows = await run(statements.flatMap((statement) => [limit, statement]));
      return rows.filter((_, index) => index % 2 === 1);
    } catch (error) {
      if (!(error instanceof StatementFailedError)) throw error;
      const { cause, index } = error;
      // The database may have a shorter limit of its own.
      if (tookTooLong(cause) && left() < NEARLY) throw outOfTime(seconds);
      throw new StatementFailedError(cause, Math.floor(index / 2));
    }
  };
  return {
    ...source,
    writeTexts: (statements, options) => limited(statements, (all) => source.writeTexts(all, options)),
    // Other reads on a shared connection are not to be limited: it gets a transaction of its own.
    readTexts: async ({ text }, values, isWanted) => {
      try {
        const [row] = await limited([{ text, values }], (all) => source.readTogether(all, isWanted));
        return row!;
      } catch (error) {
        throw error instanceof StatementFailedError ? error.cause : error;
      }
    },
  };
}

function outOfTime(seconds: number): EngineError {
  return new EngineError('timeout', `the operation took longer than ${seconds} seconds`);
}
