/** Plans of requests in the forms that Citus takes: every statement that a plan sends to a source with distributed tables. */

import type { SourceShape } from '../contract/shapes.ts';
import type { MutationStep, WriteStatement, WriteStep } from '../mutation/step.ts';
import { objectKey } from '../names.ts';
import type { RequestPlan } from '../request/plan.ts';
import type { RoleSchema } from '../schema/role-schema.ts';
import type { Sql } from '../sql/fragment.ts';
import { print, type Statement } from '../sql/print.ts';
import type { ReadSet } from '../sql/reads.ts';
import { forShards, isDistributed, judge, sentTo, shardError } from './index.ts';
import { placed } from './kept-rows.ts';

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
 * The statement by which a subscription reads shards, for one set of values: a statement for several sets would join their values to
 * shards, which Citus refuses. Of reference tables and tables of the coordinator, the coordinator has every row.
 * @param kind a stream has to be answered by one node: its batches end at a limit, in the order of all rows
 * @returns undefined: no shard is read, so one statement reads for many clients
 * @throws EngineError not-supported for what Citus cannot answer, or would answer wrongly
 */
export function liveForShards(
  source: string,
  query: Sql,
  kind: 'live' | 'once' | 'stream',
  sources: Sources,
): Statement | undefined {
  const shape = shapeOf(source, sources);
  if (!isDistributed(shape)) return undefined;
  const statement = print(query);
  const { verdict, statement: sent, tree } = judge({ ...statement, tree: query }, shape);
  if (kind === 'stream' && 'why' in verdict)
    throw shardError(source, `a stream reads rows of one value of the distribution column: ${verdict.why}`);
  if (verdict.kind === 'refused') throw shardError(source, verdict.why);
  if (verdict.kind === 'reference') return undefined;
  if (kind === 'once')
    throw shardError(
      source,
      'a subscription reads again and again, so it calls no VOLATILE functions for them',
    );
  return { ...statement, ...sent, tree };
}

/**
 * Whether a subscription reads tables of the cluster. Writes to them do not always show in the snapshots of the coordinator: writes
 * to one shard, and writes that another node coordinates, do not.
 */
export function readsCluster({ relations }: Pick<ReadSet, 'relations'>, source: SourceShape): boolean {
  const tables = source.distribution?.tables ?? {};
  return relations.some(({ schema, name }) => Object.hasOwn(tables, objectKey(schema, name)));
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
  const found = placed(step.statements, source);
  if (typeof found === 'string') throw shardError(source.name, found);
  const statements: WriteStatement[] = [];
  const kinds = new Set<string>();
  const places = found.map(({ write: { statement, ...write }, known, begins, reads }) => {
    if (begins) statements.push(...EMPTY_SETTINGS);
    if (reads) statements.push(HAND_ON);
    const sent = sentTo(source, statement, known);
    kinds.add(sent.kind);
    return statements.push({ ...write, statement: sent.statement }) - 1;
  });
  const answer = step.answer.map((part) => (typeof part === 'number' ? places[part]! : part));
  const begins = [
    ...(kinds.has('all shards') ? [SEQUENTIALLY] : []),
    ...(found.some(({ reads }) => reads) ? [SETTINGS_FOR_WORKERS] : []),
  ];
  return { ...step, statements, answer, begins };
}

/** Multi-shard writes one after the other, as tables with foreign keys between them need. */
const SEQUENTIALLY = "set local citus.multi_shard_modify_mode to 'sequential'";

const SETTINGS_FOR_WORKERS = "set local citus.propagate_set_commands to 'local'";

const EMPTY_SETTINGS = [command("set local engine.rows to ''"), command("set local engine.count to ''")];

const HAND_ON = command(`do $$
declare
  name text;
begin
  foreach name in array array['engine.rows', 'engine.count'] loop
    if current_setting(name, true) <> '' then
      execute format('set local %s to %L', name, current_setting(name));
    end if;
  end loop;
end $$`);

function command(text: string): WriteStatement {
  return { statement: { text, parameters: [] }, path: '$' };
}
