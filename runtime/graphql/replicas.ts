/**
 * Which server the reads of an operation go to where a source has replicas. All reads of one operation on one source go to one
 * server; if a replica fails, that read and all later ones go to the primary, and to a replica that is not late if the primary is
 * lost. Operations that write, or call what may write, read from the primary alone.
 * @rule Which reads does a replica answer?
 */
import type { RequestPlan } from '../core/request/plan.ts';
import { StatementFailedError } from '../database/failures.ts';
import type { SourceConnection, SourceConnections } from '../database/source.ts';
import type { Positions, Request } from './request.ts';

/** The servers that an operation runs on. */
export function readersOf(plan: RequestPlan, { served: { sources }, client }: Request): SourceConnections {
  if (!hasReplicas(sources) || plan.kind === 'mutation') return sources;
  if (plan.steps.some((step) => step.kind === 'sql' && step.once)) return sources;
  const readers = new Map<string, SourceConnection>();
  for (const [name, connection] of sources) readers.set(name, readerOf(connection, name, client?.positions));
  return readers;
}

/** After a write: the position that the client's later reads have to see. */
export async function notePosition(source: string, { sources, client }: Request): Promise<void> {
  const replicas = sources.get(source)?.replicas;
  if (!replicas || !client?.positions) return;
  // Not known: only the primary is certain to have it.
  const position = await replicas.position().catch(() => NOWHERE);
  client.positions.written(source, position);
}

/** A position that no server reaches. */
const NOWHERE = 0xffff_ffff_ffff_ffffn;

function hasReplicas(sources: SourceConnections): boolean {
  for (const connection of sources.values()) if (connection.replicas) return true;
  return false;
}

function readerOf(
  primary: SourceConnection,
  name: string,
  positions: Positions | undefined,
): SourceConnection {
  const { replicas } = primary;
  if (!replicas) return primary;
  let chosen: SourceConnection | Promise<SourceConnection> | undefined;
  const read = async <Result>(
    text: string,
    run: (server: SourceConnection) => Promise<Result>,
  ): Promise<Result> => {
    const after = positions?.of(name);
    chosen ??= replicas.choose(after);
    const server = await chosen;
    try {
      return await run(server);
    } catch (error) {
      const cause = error instanceof StatementFailedError ? error.cause : error;
      const other = replicas.instead(server, text, cause, after);
      if (!other) throw error;
      chosen = other;
      return run(other);
    }
  };
  return {
    ...primary,
    readTexts: (statement, values, isWanted) =>
      read(statement.text, (server) => server.readTexts(statement, values, isWanted)),
    readTogether: (statements, isWanted) =>
      read(statements.at(-1)!.text, (server) => server.readTogether(statements, isWanted)),
  };
}
