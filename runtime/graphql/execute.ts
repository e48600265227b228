/** Runs the plan of a GraphQL request and puts its answer together. */
import { EngineError, pathStep } from '../core/errors.ts';
import { bindParameters } from '../core/request/bind.ts';
import type { AnswerPart, MutationPlan, QueryPlan, RequestPlan } from '../core/request/plan.ts';
import type { GraphqlRequest, Planner } from '../core/request/planner.ts';
import type { Session } from '../core/session.ts';
import type { Statement } from '../core/sql/fragment.ts';
import { databaseError } from '../database/errors.ts';
import type { SourceConnection, SourceConnections } from '../database/source.ts';
import type { Limits } from './limits.ts';
import { runSteps } from './run-steps.ts';
import { limitTime } from './time-limit.ts';
import { type WatchStatements, watchStatements } from './watch-statements.ts';

/** What a request runs on, taken once at its start. */
export interface Execution {
  readonly planner: Planner;
  readonly sources: SourceConnections;
  /** Absent: none. */
  readonly limits?: Limits;
  /** Sees what runs. */
  readonly watch?: WatchStatements | undefined;
}

/** Plans a request and runs it: the text below `data`. @throws EngineError */
export async function executeData(
  request: GraphqlRequest,
  session: Session,
  execution: Execution,
): Promise<string> {
  const { plan, variables } = execution.planner.plan(session, request);
  return runPlan(plan, variables, session, execution);
}

/** Runs a plan: the text below `data`. @throws EngineError */
export async function runPlan(
  plan: RequestPlan,
  variables: Variables,
  session: Session,
  execution: Execution,
): Promise<string> {
  const seconds = execution.limits?.timeLimit(session);
  const timed =
    seconds === undefined ? execution : { ...execution, sources: limitTime(execution.sources, seconds) };
  return plan.kind === 'query'
    ? runQuery(plan, variables, session, timed)
    : runMutation(plan, variables, session, timed);
}

type Variables = Readonly<Record<string, unknown>>;

/** Reads of several sources run side by side; one statement each. */
async function runQuery(
  plan: QueryPlan,
  variables: Variables,
  session: Session,
  execution: Execution,
): Promise<string> {
  const reads = plan.steps.map(({ source, statement }) => {
    const values = bindParameters(statement, variables, session);
    return { connection: connectionOf(source, execution), statement, values };
  });
  if (reads.length === 1) {
    const [read] = reads as [(typeof reads)[0]];
    return answer(plan.answer, [await readTexts(read.connection, read.statement, read.values)]);
  }
  return answer(
    plan.answer,
    await Promise.all(
      reads.map(({ connection, statement, values }) => readTexts(connection, statement, values)),
    ),
  );
}

/** Runs one statement that only reads: the texts of its row. @throws EngineError */
export async function runStatement(
  statement: Statement,
  source: string,
  session: Session,
  execution: Execution,
): Promise<readonly (string | null)[]> {
  return readTexts(connectionOf(source, execution), statement, bindParameters(statement, {}, session));
}

async function readTexts(
  connection: Pick<SourceConnection, 'readTexts'>,
  statement: Statement,
  values: readonly (string | null)[],
): Promise<readonly (string | null)[]> {
  try {
    return await connection.readTexts(statement, values);
  } catch (error) {
    throw databaseError(error, { text: statement.text, values });
  }
}

/** Fields run in order; neighbours of one source share a transaction. */
async function runMutation(
  plan: MutationPlan,
  variables: Variables,
  session: Session,
  execution: Execution,
): Promise<string> {
  const results: string[] = [];
  let index = 0;
  while (index < plan.fields.length) {
    const { source } = plan.fields[index]!;
    let end = index;
    while (end < plan.fields.length && plan.fields[end]!.source === source) end += 1;
    const group = plan.fields.slice(index, end);
    const steps = group.map(({ step }) => step);
    results.push(...(await runSteps(steps, connectionOf(source, execution), session, variables)));
    index = end;
  }
  return answer(
    plan.answer,
    results.map((result) => [result]),
  );
}

/** The connection of a source. */
export function connectionOf(source: string, execution: Execution): SourceConnection {
  const connection = execution.sources.get(source);
  if (!connection)
    throw new EngineError('unexpected', `the source ${JSON.stringify(source)} has no connection`, {
      path: pathStep('$', 'sources'),
    });
  return execution.watch ? watchStatements(source, connection, execution.watch) : connection;
}

/** Puts the answer together; a column that is null is the JSON null. */
function answer(parts: readonly AnswerPart[], rows: readonly (readonly (string | null)[])[]): string {
  let text = '';
  for (const part of parts)
    text += typeof part === 'string' ? part : (rows[part.step]![part.column] ?? 'null');
  return text;
}
