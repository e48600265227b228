/** Runs the plan of a GraphQL request and puts its answer together. */
import { mergeEntities } from '../core/federation/merge.ts';
import type { MutationStep } from '../core/mutation/step.ts';
import { bindParameters, sourceValue } from '../core/request/bind.ts';
import type { AnswerPart, MutationPlan, QueryPlan, RequestPlan } from '../core/request/plan.ts';
import type { GraphqlRequest } from '../core/request/planner.ts';
import type { Step } from '../core/request/steps.ts';
import { hasEnded, requireCurrent, type Session, sessionEnded } from '../core/session.ts';
import type { Statement } from '../core/sql/print.ts';
import { columnText, columnTexts, type ReadRow } from '../database/text-query.ts';
import { type AnswerText, joinTexts, wholeText } from './answer-text.ts';
import { notePosition, readersOf } from './replicas.ts';
import {
  callerOf,
  connectionOf,
  Request,
  type Runnable,
  readSource,
  type StepRow,
  type VariableValues,
} from './request.ts';
import { runJoins } from './run-joins.ts';
import { callOnce, runSteps } from './run-steps.ts';
import { limitTime } from './time-limit.ts';
import { validateInput } from './validate-input.ts';
import { writerOf } from './writer.ts';

/** Plans a request and runs it: the text below `data`. @throws EngineError */
export async function executeData(
  given: GraphqlRequest,
  session: Session,
  served: Runnable,
): Promise<string> {
  const { plan, variables } = served.planner.plan(session, given);
  const request = new Request(served, session);
  request.variables = variables;
  return wholeText(await runPlan(plan, request));
}

/** Runs a plan: the text below `data`. @throws EngineError */
export function runPlan(plan: RequestPlan, request: Request): Promise<AnswerText> {
  const seconds = request.served.limits?.timeLimit(request.session);
  const servers = readersOf(plan, request);
  request.sources = seconds === undefined ? servers : limitTime(servers, seconds);
  request.deadline = seconds === undefined ? undefined : performance.now() + seconds * 1000;
  if (plan.kind !== 'query') return runMutation(plan, request);
  endCalls(plan, request);
  return runQuery(plan, request);
}

/** Milliseconds: timers may go off a little before the clock says so, and then the session would not have ended. */
const LATER = 5;

/** The calls of a query end with its session. Those of a mutation go on: what they do cannot be taken back. */
function endCalls({ steps, joins }: QueryPlan, request: Request): void {
  const { expiresAt } = request.session;
  if (expiresAt === undefined || !(joins || steps.some((step) => step.kind === 'call'))) return;
  const end = performance.now() + Math.max(0, expiresAt - Date.now()) + LATER;
  request.deadline = Math.min(end, request.deadline ?? Number.POSITIVE_INFINITY);
}

/** Reads of several sources run side by side; one statement each. */
async function runQuery(plan: QueryPlan, request: Request): Promise<AnswerText> {
  const { variables, session } = request;
  const [first] = plan.steps;
  let rows: readonly ReadRow[];
  try {
    if (plan.steps.length === 1) rows = [await runStep(first!, request)];
    else {
      // A value that cannot be bound is refused before anything is sent.
      const started = plan.steps.map((step) => startStep(step, request));
      rows = await Promise.all(started.map((start) => start()));
    }
    if (plan.joins) {
      const trees = plan.steps.map((step) => step.trees);
      rows = await runJoins(plan.joins, rows.map(columnTexts), trees, request);
    }
  } catch (error) {
    // Errors may have data in them, too.
    throw hasEnded(session) ? sessionEnded() : error;
  }
  requireCurrent(session);
  return answer(plan.answer, rows, variables);
}

function runStep(step: Step, request: Request): Promise<ReadRow> {
  return startStep(step, request)();
}

/** Binds the values of a step. @throws EngineError */
function startStep(step: Step, request: Request): () => Promise<ReadRow> {
  const { variables, session, client } = request;
  if (step.kind === 'call') {
    const caller = callerOf(step.caller, request);
    caller.check?.(step, request);
    return () => {
      requireCurrent(session);
      return caller.run(step, request);
    };
  }
  const { statement, source } = step;
  const values = bindParameters(statement, variables, session);
  if (!step.once) return () => readSource(source, statement, values, request);
  client?.checkWrite?.();
  const writer = writerOf(session, client?.trace);
  return async () => {
    const row = await callOnce(statement, values, connectionOf(source, request), writer, session);
    await notePosition(source, request);
    return row;
  };
}

/** Runs one statement that only reads: the texts of its row. @throws EngineError */
export async function runStatement(
  statement: Statement,
  source: string,
  request: Request,
): Promise<readonly (string | null)[]> {
  const values = bindParameters(statement, {}, request.session);
  const row = await readSource(source, statement, values, request);
  requireCurrent(request.session);
  return columnTexts(row);
}

/** Fields run in order; neighbours of one source share a transaction. */
async function runMutation(plan: MutationPlan, request: Request): Promise<AnswerText> {
  request.client?.checkWrite?.();
  // A later member of a batch may begin when its session has ended, and webhooks are asked first.
  requireCurrent(request.session);
  for (const field of plan.fields) {
    if (!('step' in field)) callerOf(field.caller, request).check?.(field, request);
  }
  const writes = plan.fields.filter((field) => 'step' in field);
  await validateInput(writes, request);
  const rows: StepRow[] = [];
  let index = 0;
  while (index < plan.fields.length) {
    const field = plan.fields[index]!;
    if (!('step' in field)) {
      rows.push(columnTexts(await runStep(field, request)));
      index += 1;
      continue;
    }
    const { source } = field;
    const steps: MutationStep[] = [];
    for (; index < plan.fields.length; index += 1) {
      const next = plan.fields[index]!;
      if (!('step' in next) || next.source !== source) break;
      steps.push(next.step);
    }
    const texts = await writeSteps(steps, source, request);
    for (const text of texts) rows.push([text]);
  }
  if (!plan.joins) return answer(plan.answer, rows, request.variables);
  const trees = plan.fields.map((field) => ('step' in field ? [field.tree] : field.trees));
  return answer(plan.answer, await runJoins(plan.joins, rows, trees, request), request.variables);
}

/** Runs a step that does not come from GraphQL: the JSON text of its answer. @throws EngineError and nothing is written */
export async function runWriteStep(step: MutationStep, source: string, request: Request): Promise<string> {
  await validateInput([{ step }], request);
  const [text] = await writeSteps([step], source, request);
  return text!;
}

/**
 * Runs steps on a source whose input was validated. Its triggers and policies see who writes.
 * @throws EngineError and nothing is written
 */
async function writeSteps(
  steps: readonly MutationStep[],
  source: string,
  request: Request,
): Promise<string[]> {
  const { session, variables, client } = request;
  const writer = writerOf(session, client?.trace);
  const texts = await runSteps(steps, connectionOf(source, request), session, variables, writer);
  await notePosition(source, request);
  return texts;
}

/** Puts the answer together; a column that is null is the JSON null. */
function answer(
  parts: readonly AnswerPart[],
  rows: readonly ReadRow[],
  variables: VariableValues,
): AnswerText {
  return joinTexts(
    parts.map((part) => {
      if (typeof part === 'string') return part;
      if ('step' in part) return rows[part.step]![part.column] ?? 'null';
      const lists = part.lists.map(
        ([name, { step, column }]) => [name, columnText(rows[step]![column]!)] as const,
      );
      return mergeEntities(sourceValue(part.representations, variables), new Map(lists));
    }),
  );
}
