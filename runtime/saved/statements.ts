/** The plans of saved operations, as the executor takes them. Nothing is parsed or planned for a request. */
import { EngineError } from '../core/errors.ts';
import { encoderOf } from '../core/query/scope.ts';
import type { MutationPlan, RequestPlan } from '../core/request/plan.ts';
import type {
  SavedOperation,
  SavedParameter,
  SavedPlan,
  SavedStatement,
  SavedStep,
  SavedWrite,
} from '../core/saved.ts';
import type { SourceShape } from '../core/shapes.ts';
import type { ParameterNode, Statement } from '../core/sql/fragment.ts';

/** @returns undefined when a request with these values has to be planned */
export type FindPlan = (
  operation: SavedOperation,
  role: string,
  values: Readonly<Record<string, unknown>>,
) => RequestPlan | undefined;

interface Case {
  readonly when: SavedPlan['when'];
  readonly plan: RequestPlan;
}

/** Reads the plans of operations. */
export function createPlans(
  operations: readonly SavedOperation[],
  sources: readonly SourceShape[],
): FindPlan {
  const bySource = new Map(sources.map((source) => [source.name, source]));
  const plans = new Map<SavedOperation, ReadonlyMap<string, readonly Case[]>>();
  for (const operation of operations) {
    const byRole = new Map<string, Case[]>();
    for (const { roles, when, steps, answer } of operation.plans ?? []) {
      const sourceOf = ({ source }: SavedStep | SavedWrite) => bySource.get(source)!;
      const plan: RequestPlan =
        operation.kind === 'mutation'
          ? {
              kind: 'mutation',
              fields: steps.map((step) => readWrite(step as SavedWrite, sourceOf(step))),
              answer,
              reusable: true,
            }
          : {
              kind: 'query',
              steps: steps.map((step) => ({
                kind: 'sql',
                source: step.source,
                statement: readStatement(step as SavedStep, sourceOf(step)),
              })),
              answer,
              reusable: true,
            };
      for (const role of roles) byRole.set(role, [...(byRole.get(role) ?? []), { when, plan }]);
    }
    plans.set(operation, byRole);
  }
  return (operation, role, values) =>
    plans
      .get(operation)
      ?.get(role)
      ?.find(({ when }) => holds(when, values))?.plan;
}

function holds(when: SavedPlan['when'], values: Readonly<Record<string, unknown>>): boolean {
  for (const name in when) {
    const value = values[name];
    const kind = value === null ? 'null' : typeof value === 'boolean' ? value : 'value';
    if (kind !== when[name]) return false;
  }
  return true;
}

function readWrite(
  { source, statements, answer, once }: SavedWrite,
  shape: SourceShape,
): MutationPlan['fields'][number] {
  const read = statements.map((statement) => ({ ...statement, statement: readStatement(statement, shape) }));
  return { source, step: { kind: 'write', statements: read, answer, ...(once && { once }) } };
}

function readStatement({ sql, parameters }: SavedStatement, shape: SourceShape): Statement {
  return { text: sql, parameters: parameters.map((parameter) => readParameter(parameter, shape)) };
}

function readParameter(parameter: SavedParameter, source: SourceShape): ParameterNode {
  // The type is part of the text already.
  const base = { kind: 'parameter', type: '' } as const;
  if ('session' in parameter) return { ...base, source: { from: 'session', name: parameter.session } };
  if ('sessionObject' in parameter) return { ...base, source: { from: 'session-object' } };
  if ('constant' in parameter) return { ...base, source: { from: 'constant', value: parameter.constant } };
  const { variable, encoding, path } = parameter;
  return {
    ...base,
    source: { from: 'variable', name: variable, path: [] },
    path,
    encode: encoderOf(encoding, source, path),
  };
}

/**
 * The values of all variables of an operation, defaults applied.
 * @throws EngineError validation-failed when a variable that must not be null has no value, or one is not declared
 */
export function savedValues(
  { variables = {} }: SavedOperation,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  // Without a prototype: a variable may be called __proto__.
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, variable] of Object.entries(variables)) {
    const value = Object.hasOwn(given, name) ? given[name] : variable.default;
    const required = variable.type.endsWith('!');
    if (required && value === undefined)
      throw new EngineError('validation-failed', `expecting a value for non-nullable variable: "${name}"`);
    if (required && value === null)
      throw new EngineError(
        'validation-failed',
        `null value found for non-nullable type: "${variable.type}"`,
      );
    values[name] = value ?? null;
  }
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(variables, name));
  if (unknown.length > 0) {
    throw new EngineError(
      'validation-failed',
      `unexpected variables in variableValues: ${unknown.sort().join(', ')}`,
    );
  }
  return values;
}
