/** Plans of requests in the forms that Citus takes: every statement that a plan sends to a source with distributed tables. */

import type { SourceShape } from '../contract/shapes.ts';
import { EngineError } from '../errors.ts';
import type { MutationStep, WriteStatement, WriteStep } from '../mutation/step.ts';
import type { RequestPlan } from '../request/plan.ts';
import type { RoleSchema } from '../schema/role-schema.ts';
import type { Statement } from '../sql/print.ts';
import { forShards, isDistributed, type Judged, judge } from './index.ts';

type Sources = readonly SourceShape[];

/** @throws EngineError not-supported for what Citus cannot answer, or would answer wrongly */
export function planForShards<Plan extends RequestPlan>(plan: Plan, { program, options }: RoleSchema): Plan {
  const { sources } = program;
  // Saved texts hold rules as holes: they are completed when the rules are there.
  if (options.ruleHoles || !sources.some(isDistributed)) return plan;
  return { ...plan, ...partsOf(plan, sources) };
}

function partsOf(plan: RequestPlan, sources: Sources): Partial<RequestPlan> {
  const ofSource = <
    Step extends { readonly source: string; readonly statement: Parameters<typeof forShards>[0] },
  >(
    step: Step,
  ): Step => ({ ...step, statement: forShards(step.statement, shapeOf(step.source, sources)) });
  const joins = plan.joins && {
    joins: plan.joins.map((level) => level.map((each) => (each.kind === 'sql' ? ofSource(each) : each))),
  };
  if (plan.kind === 'query')
    return { ...joins, steps: plan.steps.map((step) => (step.kind === 'sql' ? ofSource(step) : step)) };
  const fields = plan.fields.map((field) =>
    'step' in field ? { ...field, step: stepForShards(field.step, shapeOf(field.source, sources)) } : field,
  );
  return { ...joins, fields };
}

/**
 * Live queries and streams read for many clients at once, each with values of its own: no shard has all of them.
 * @throws EngineError not-supported for a source with distributed tables
 */
export function refuseLive(source: string, sources: Sources): void {
  if (isDistributed(shapeOf(source, sources)))
    throw new EngineError(
      'not-supported',
      `subscriptions to the distributed tables of source "${source}" are not supported: ask again with a query`,
    );
}

export function shapeOf(name: string, sources: Sources): SourceShape {
  const shape = sources.find((source) => source.name === name);
  if (!shape) throw new Error(`the source ${name} is not served`);
  return shape;
}

/** A write of a source. @throws EngineError not-supported for what Citus cannot do rightly */
export function stepForShards<Step extends MutationStep>(step: Step, source: SourceShape): Step {
  return step.kind === 'constant' || !isDistributed(source)
    ? step
    : { ...step, ...writeForShards(step, source) };
}

/**
 * Citus takes only what begins with BEGIN for one transaction. Where a setting lands depends on the plan of the statement
 * that sets it: on the worker of a write that runs there as a whole, else on the coordinator. So settings are emptied before
 * rows are written, and what the coordinator has is handed to the workers before it is read.
 */
function writeForShards({ instead, ...step }: WriteStep, source: SourceShape): WriteStep {
  // A statement that may have to run again has already run on some worker.
  if (instead) return writeForShards(instead(), source);
  const { statements } = step;
  const read = statements.findIndex(({ statement }) => reads(statement, KEPT_ROWS));
  if (read > 0) refuseElsewhere(statements.slice(0, read), statements[read]!, source);
  const written: WriteStatement[] = [];
  const places = statements.map(({ statement, ...write }, index) => {
    if (index === 0 && read > 0) written.push(...EMPTY_SETTINGS);
    if (index === read && read > 0) written.push(HAND_ON);
    return written.push({ ...write, statement: forShards(statement, source) }) - 1;
  });
  const answer = step.answer.map((part) => (typeof part === 'number' ? places[part]! : part));
  return { ...step, statements: written, answer, begins: TRANSACTION };
}

/** Multi-shard writes one after the other, as tables with foreign keys between them need; settings for workers, too. */
const TRANSACTION = [
  "set local citus.multi_shard_modify_mode to 'sequential'",
  "set local citus.propagate_set_commands to 'local'",
];

const KEPT_ROWS = 'engine.rows';

const EMPTY_SETTINGS = [command(`set local ${KEPT_ROWS} to ''`), command("set local engine.count to ''")];

const HAND_ON = command(`do $$
declare
  name text;
begin
  foreach name in array array['${KEPT_ROWS}', 'engine.count'] loop
    if current_setting(name, true) <> '' then
      execute format('set local %s to %L', name, current_setting(name));
    end if;
  end loop;
end $$`);

function command(text: string): WriteStatement {
  return { statement: { text, parameters: [] }, path: '$' };
}

function reads({ text }: Statement, setting: string): boolean {
  return text.includes(`pg_catalog.unnest(pg_catalog.current_setting('${setting}')`);
}

/**
 * Rows that an update or delete kept on a worker can be read there only: by a statement that is fixed to the same value.
 * @throws EngineError not-supported
 */
function refuseElsewhere(writes: readonly WriteStatement[], read: WriteStatement, source: SourceShape): void {
  for (const { statement } of writes) {
    if (!/^with "written" as \((?:update|delete) /.test(statement.text)) continue;
    const write = judge(statement.text, source);
    if (write.verdict.kind === 'all shards' || write.verdict.kind === 'refused') continue;
    const answer = judge(read.statement.text, source);
    const isSame = valuesOf(write, statement).some((value) =>
      valuesOf(answer, read.statement).includes(value),
    );
    if (answer.verdict.kind === 'refused' || isSame) continue;
    throw new EngineError(
      'not-supported',
      `the distributed tables of source "${source.name}" cannot serve this: the rows that are written can be read with their relationships only where a rule fixes those to the same value of the distribution column`,
    );
  }
}

/** The values that a statement of one shard is fixed to, comparable between statements. */
function valuesOf({ values }: Judged, { parameters }: Statement): string[] {
  return values.map((value) =>
    value.replace(/\(\$(\d+)\)/g, (_, position) => JSON.stringify(parameters[Number(position) - 1]!.source)),
  );
}
