/**
 * Which server the reads of an operation go to where a source has replicas. All reads of one operation on one source go to one
 * server; if a replica fails, that read and all later ones go to the primary, and to a replica that is not late if the primary is
 * lost. Operations that write, or call what may write, read from the primary alone.
 * @rule Which reads does a replica answer?
 */
import type { RequestPlan } from '../core/request/plan.ts';
import { StatementFailedError } from '../database/failures.ts';
import type { SourceConnection } from '../database/source.ts';
import type { Execution, Positions } from './execution.ts';

/** The server that an operation runs on. */
export function readersOf(plan: RequestPlan, execution: Execution): Execution {
  if (!hasReplicas(execution) || plan.kind === 'mutation') return execution;
  if (plan.steps.some((step) => step.kind === 'sql' && step.once)) return execution;
  const sources = new Map<string, SourceConnection>();
  for (const [name, connection] of execution.sources)
    sources.set(name, readerOf(connection, name, execution.client?.positions));
  return { ...execution, sources };
}

/** After a write: the position that the client's later reads have to see. */
export async function notePosition(source: string, { sources, client }: Execution): Promise<void> {
  const replicas = sources.get(source)?.replicas;
  if (!replicas || !client?.positions) return;
  // Not known: only the primary is certain to have it.
  const position = await replicas.position().catch(() => NOWHERE);
  client.positions.written(source, position);
}

/** A position that no server reaches. */
const NOWHERE = 0xffff_ffff_ffff_ffffn;

function hasReplicas({ sources }: Execution): boolean {
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
