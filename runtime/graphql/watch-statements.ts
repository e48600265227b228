/** Wraps a connection to report the statements it runs, for logs. Used only where a log needs it. */
import type { BoundStatement } from '../database/connection.ts';
import type { SourceConnection } from '../database/source.ts';

/** Statements that ran together, or failed. */
export interface RanStatements {
  readonly source: string;
  readonly statements: readonly BoundStatement[];
  readonly seconds: number;
}

export type WatchStatements = (ran: RanStatements) => void;

/** A connection as one operation sees it. */
export function watchStatements(
  name: string,
  source: SourceConnection,
  watch: WatchStatements,
): SourceConnection {
  const watched = async <Result>(statements: readonly BoundStatement[], run: () => Promise<Result>) => {
    const start = performance.now();
    try {
      return await run();
    } finally {
      watch({ source: name, statements, seconds: (performance.now() - start) / 1000 });
    }
  };
  return {
    ...source,
    readTexts: ({ text }, values, isWanted) =>
      watched([{ text, values }], () => source.readTexts({ text }, values, isWanted)),
    readTogether: (statements, isWanted) =>
      watched(statements, () => source.readTogether(statements, isWanted)),
    writeTexts: (statements, options) => watched(statements, () => source.writeTexts(statements, options)),
  };
}
