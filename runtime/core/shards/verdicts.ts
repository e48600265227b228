/** Verdicts about what is served: each root field of a role, and plans of saved operations. */

import type { SourceShape } from '../contract/shapes.ts';
import { chooseOperation, type Operation, parseDocument } from '../request/document.ts';
import { planOperation, type RequestPlan } from '../request/plan.ts';
import { planningVariables } from '../request/variables.ts';
import type { RoleSchema } from '../schema/role-schema.ts';
import { type FieldDefinition, namedType, type ObjectType } from '../schema/types.ts';
import type { Statement } from '../sql/print.ts';
import type { TransactionFacts } from './facts.ts';
import { isDistributed, judge } from './index.ts';
import { placed } from './kept-rows.ts';
import { sampleOperation } from './sample.ts';
import type { ShardVerdict } from './shapes.ts';

export interface FieldVerdict {
  readonly source: string;
  readonly operation: 'query' | 'mutation';
  /** Below namespaces, `namespace.field`. */
  readonly field: string;
  readonly verdict: ShardVerdict;
}

const OPTIONS = { stringifyNumbers: false, collapseNulls: false };

/** @param roleSchema of a program whose rules are marked: others refuse what is to be judged */
export function fieldVerdicts(roleSchema: RoleSchema): FieldVerdict[] {
  const { sources } = roleSchema.program;
  if (!sources.some(isDistributed)) return [];
  const found: FieldVerdict[] = [];
  const visit = (operation: 'query' | 'mutation', type: ObjectType, path: readonly string[]) => {
    for (const field of type.fields().values()) {
      const { meaning } = field;
      const named = namedType(field.type);
      if (meaning.kind === 'namespace' && named.kind === 'object')
        visit(operation, named, [...path, field.name]);
      if (meaning.kind !== operation) continue;
      const { source } = meaning;
      if (!sources.some((each) => each.name === source && isDistributed(each))) continue;
      const verdict = verdictOfField(roleSchema, operation, field, path) ?? { kind: 'reference' };
      found.push({ source, operation, field: [...path, field.name].join('.'), verdict });
    }
  };
  visit('query', roleSchema.roots.query, []);
  if (roleSchema.roots.mutation) visit('mutation', roleSchema.roots.mutation, []);
  return found;
}

function verdictOfField(
  roleSchema: RoleSchema,
  kind: 'query' | 'mutation',
  field: FieldDefinition,
  path: readonly string[],
): ShardVerdict | undefined {
  const operation = chooseOperation(parseDocument(sampleOperation(kind, field, path)), undefined);
  return verdictOfOperation(roleSchema, operation, {});
}

/** @throws EngineError for what the role may not ask */
export function verdictOfOperation(
  roleSchema: RoleSchema,
  operation: Operation,
  values: Readonly<Record<string, unknown>>,
): ShardVerdict | undefined {
  const variables = planningVariables(operation.variables, values);
  return planVerdict(planOperation(roleSchema, operation, variables, OPTIONS), roleSchema.program.sources);
}

/** The verdict of all statements of a plan together; undefined if none is for distributed tables. */
function planVerdict(plan: RequestPlan, sources: readonly SourceShape[]): ShardVerdict | undefined {
  const statements: (readonly [
    source: string,
    statement: Statement,
    known?: TransactionFacts | undefined,
  ])[] = [];
  if (plan.kind === 'query') {
    for (const step of plan.steps) if (step.kind === 'sql') statements.push([step.source, step.statement]);
  } else {
    for (const field of plan.fields) {
      if (!('step' in field) || field.step.kind === 'constant') continue;
      const written = field.step.instead?.() ?? field.step;
      const source = sources.find(({ name }) => name === field.source);
      if (!source || !isDistributed(source)) continue;
      const found = placed(written.statements, source);
      if (typeof found === 'string') return { kind: 'refused', why: found };
      for (const { write, known } of found) statements.push([field.source, write.statement, known]);
    }
  }
  for (const level of plan.joins ?? [])
    for (const request of level)
      if (request.kind === 'sql') statements.push([request.source, request.statement]);
  const verdicts = statements.flatMap(([name, statement, known]) => {
    const source = sources.find((each) => each.name === name);
    return source && isDistributed(source) ? [judge(statement, source, known).verdict] : [];
  });
  return heaviestVerdict(verdicts);
}

export function heaviestVerdict(verdicts: readonly ShardVerdict[]): ShardVerdict | undefined {
  return verdicts.toSorted((left, right) => WEIGHT[right.kind] - WEIGHT[left.kind])[0];
}

const WEIGHT: Readonly<Record<ShardVerdict['kind'], number>> = {
  reference: 0,
  router: 1,
  'all shards': 2,
  refused: 3,
};

/** `all shards: no condition fixes …`. */
export function verdictWords(verdict: ShardVerdict): string {
  return 'why' in verdict ? `${verdict.kind}: ${verdict.why}` : verdict.kind;
}
