/** Connections on which somebody watches what runs, for logs. Nobody pays for it where nothing is logged. */
import type { SourceConnection, SourceConnections, SourceTransaction } from '../database/source.ts';

/** A statement that ran, or failed. */
export interface RanStatement {
  readonly source: string;
  readonly text: string;
  readonly values: readonly (string | null)[];
  readonly seconds: number;
}

export type WatchStatement = (statement: RanStatement) => void;

/** The connections as one operation sees them. */
export function watchStatements(sources: SourceConnections, watch: WatchStatement): SourceConnections {
  const watched = new Map<string, SourceConnection>();
  for (const [name, source] of sources) watched.set(name, watchSource(name, source, watch));
  return watched;
}

function watchSource(name: string, source: SourceConnection, watch: WatchStatement): SourceConnection {
  const reader = (read: SourceTransaction['readTexts']): SourceTransaction['readTexts'] => {
    return async (statement, values, isLast) => {
      const start = performance.now();
      try {
        return await read(statement, values, isLast);
      } finally {
        const seconds = (performance.now() - start) / 1000;
        watch({ source: name, text: statement.text, values, seconds });
      }
    };
  };
  return {
    ...source,
    readTexts: reader((statement, values) => source.readTexts(statement, values)),
    writeTexts: reader((statement, values) => source.writeTexts(statement, values)),
    transaction: (run) =>
      source.transaction((inner) =>
        run({
          attempt: (part) => inner.attempt(part),
          readTexts: reader((statement, values, isLast) => inner.readTexts(statement, values, isLast)),
        }),
      ),
  };
}
