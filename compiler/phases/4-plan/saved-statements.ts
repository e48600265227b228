/**
 * The statements of a saved query, for each role that may run it. Where the SQL depends on whether a variable is null, or
 * on a boolean, there is a plan for each case; where it depends on more, the query stays a template.
 */
import { Kind } from 'graphql';
import { EngineError } from '../../../runtime/core/errors.ts';
import type { Program } from '../../../runtime/core/program.ts';
import { analyseOperation } from '../../../runtime/core/request/analyse.ts';
import { bindParameter } from '../../../runtime/core/request/bind.ts';
import type { Operation } from '../../../runtime/core/request/document.ts';
import { planOperation, type QueryPlan } from '../../../runtime/core/request/plan.ts';
import type { SavedOperation, SavedOptions, SavedParameter, SavedPlan } from '../../../runtime/core/saved.ts';
import { namedType, type TypeReference } from '../../../runtime/core/schema/types.ts';
import type { ParameterNode } from '../../../runtime/core/sql/fragment.ts';

/** Most cases of one query; each doubles its file. */
const MOST_CASES = 8;

type When = NonNullable<SavedPlan['when']>;

/** The part of a saved operation that says what runs. */
export function planStatements(
  program: Program,
  roles: readonly string[],
  operation: Operation,
  options: SavedOptions,
): Pick<SavedOperation, 'plans' | 'template'> {
  if (operation.kind !== 'query') return { template: 'it changes data, in more than one statement' };
  const byText = new Map<string, { readonly plan: Omit<SavedPlan, 'roles'>; readonly roles: string[] }>();
  for (const role of roles) {
    const result = planForRole(program, role, operation, options);
    if (result === undefined) continue;
    if (typeof result === 'string') return { template: result };
    for (const plan of result) {
      const key = JSON.stringify(plan);
      const known = byText.get(key) ?? { plan, roles: [] };
      known.roles.push(role);
      byText.set(key, known);
    }
  }
  const plans = [...byText.values()].map(({ plan, roles: all }) => ({ roles: all, ...plan }));
  return plans.length > 0 ? { plans } : {};
}

/** The plans of a role, why there can be none, or undefined when the role may not run the query. */
function planForRole(
  program: Program,
  role: string,
  operation: Operation,
  options: SavedOptions,
): Omit<SavedPlan, 'roles'>[] | string | undefined {
  const view = program.view(role, false);
  try {
    const { used, samples, selection } = analyseOperation(view, operation);
    if (selection.fields.some(({ definition }) => definition.meaning.kind === 'introspection'))
      return 'it asks for the schema';
    const shaping = [...used].find(([, type]) => namedType(type).kind !== 'scalar');
    if (shaping) return `the value of $${shaping[0]} decides about the SQL`;
    const cases = casesOf(operation, used);
    if (cases.length > MOST_CASES) return 'too many variables may be null or absent';
    return cases.flatMap((when) => {
      const values = { ...samples };
      for (const [name, kind] of Object.entries(when)) {
        if (kind !== 'value') values[name] = kind === 'null' ? null : kind;
      }
      const variables = { declared: operation.variables, values, used: new Map() };
      const plan = planOperation(view, operation, variables, options) as QueryPlan;
      const saved = plan.reusable ? savedPlan(plan, when) : undefined;
      return saved ? [saved] : [];
    });
  } catch (error) {
    if (error instanceof EngineError) return undefined;
    throw error;
  }
}

/** Every combination of nulls and booleans that values can have. */
function casesOf(operation: Operation, used: ReadonlyMap<string, TypeReference>): When[] {
  let cases: When[] = [{}];
  for (const [name, type] of used) {
    const declared = operation.variables.get(name)!;
    const nullable = declared.type.kind !== Kind.NON_NULL_TYPE;
    const isBoolean = type.kind !== 'list' && namedType(type).name === 'Boolean';
    if (!nullable && !isBoolean) continue;
    const kinds = [
      ...(isBoolean ? [true, false] : (['value'] as const)),
      ...(nullable ? (['null'] as const) : []),
    ];
    cases = cases.flatMap((when) => kinds.map((kind) => ({ ...when, [name]: kind })));
  }
  return cases;
}

/** The plan as data; undefined when a part of it is a function that no data describes. */
function savedPlan(plan: QueryPlan, when: When): Omit<SavedPlan, 'roles'> | undefined {
  const steps = plan.steps.map(({ source, statement }) => ({
    source,
    sql: statement.text,
    parameters: statement.parameters.map(savedParameter),
  }));
  if (steps.some(({ parameters }) => parameters.includes(undefined))) return undefined;
  return {
    ...(Object.keys(when).length > 0 ? { when } : {}),
    steps: steps as SavedPlan['steps'],
    answer: plan.answer,
  };
}

const NOBODY = { role: '', variables: {}, backendOnly: false };

function savedParameter(parameter: ParameterNode): SavedParameter | undefined {
  const { source, encoding, path } = parameter;
  switch (source.from) {
    case 'session':
      return { session: source.name };
    case 'session-object':
      return { sessionObject: true };
    case 'constant':
      return { constant: bindParameter(parameter, {}, NOBODY, {}) };
    case 'variable':
      return source.path.length === 0 && encoding
        ? { variable: source.name, encoding, path: path ?? '$' }
        : undefined;
    default:
      return undefined;
  }
}
