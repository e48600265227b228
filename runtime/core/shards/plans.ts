/** Plans of requests in the forms that Citus takes: every statement that a plan sends to a source with distributed tables. */
import type { MutationStep, WriteStep } from '../mutation/step.ts';
import type { RequestPlan } from '../request/plan.ts';
import type { RoleSchema } from '../schema/role-schema.ts';
import type { SourceShape } from '../shapes.ts';
import { forShards, isDistributed } from './index.ts';

type Sources = readonly SourceShape[];

/** @throws EngineError not-supported for what Citus cannot answer, or would answer wrongly */
export function planForShards<Plan extends RequestPlan>(plan: Plan, { program, options }: RoleSchema): Plan {
  const { sources } = program;
  // Saved texts hold rules as holes: they are completed when the rules are there.
  if (options.markRules || !sources.some(isDistributed)) return plan;
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

function shapeOf(name: string, sources: Sources): SourceShape {
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

/** Citus takes only what begins with BEGIN for one transaction. */
function writeForShards({ instead, ...step }: WriteStep, source: SourceShape): WriteStep {
  // What may have to run again has run already on some worker.
  if (instead) return writeForShards(instead(), source);
  const statements = step.statements.map((write) => ({
    ...write,
    statement: forShards(write.statement, source),
  }));
  return { ...step, statements, begins: true };
}
