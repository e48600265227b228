/**
 * Analyses an operation without values: whether a role may send it, and the types of the places of its variables.
 * Variables get made-up values of their types, because some places depend on the value.
 */

import { Kind } from 'graphql';
import { EngineError, UnknownName } from '../errors.ts';
import type { RoleSchema } from '../schema/role-schema.ts';
import { namedType, type ObjectType, type TypeReference } from '../schema/types.ts';
import { cacheRequest } from './cached.ts';
import { checkOperationDirectives } from './directives.ts';
import { checkFragmentCycles, type Operation } from './document.ts';
import { firstField } from './plan.ts';
import type { Selection } from './selection.ts';
import { rootSelection } from './selection-set.ts';
import { planningVariables } from './variables.ts';

export interface OperationAnalysis {
  readonly selection: Selection;
  /** Types of the places of variables; unused variables are absent. */
  readonly used: ReadonlyMap<string, TypeReference>;
  /** A value for every variable with which the operation is valid. */
  readonly samples: Readonly<Record<string, unknown>>;
}

/** @throws EngineError for whatever is wrong with the operation under the role */
export function analyseOperation(roleSchema: RoleSchema, operation: Operation): OperationAnalysis {
  checkOperationDirectives(operation);
  checkFragmentCycles(operation);
  const root = rootType(roleSchema, operation);
  const used = new Map<string, TypeReference>();
  const samples: Record<string, unknown> = Object.fromEntries(
    [...operation.variables.keys()].map((name) => [name, 1]),
  );
  const typed = new Set<string>();
  // Each attempt finds at least one more place, or the error is a real one.
  for (;;) {
    try {
      const variables = planningVariables(operation.variables, samples, used);
      const selection = rootSelection(root, { operation, variables });
      cacheRequest(operation, variables);
      const isNew = learn(used, samples, typed);
      if (!isNew) return { selection, used, samples };
    } catch (error) {
      if (!(error instanceof EngineError) || !learn(used, samples, typed)) throw error;
    }
  }
}

/** Variables on which the SQL depends: whether they are null, or which boolean they are. */
export type When = Readonly<Record<string, 'value' | 'null' | boolean>>;

/** Maximum number of cases of one operation. */
const MAX_CASES = 8;

/** Every combination of nulls and booleans that values can have; undefined for too many. */
export function casesOf(
  operation: Operation,
  used: ReadonlyMap<string, TypeReference>,
): readonly When[] | undefined {
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
    if (cases.length > MAX_CASES) return undefined;
  }
  return cases;
}

/** Values of a case. @param samples see OperationAnalysis */
export function caseValues(
  when: When,
  samples: OperationAnalysis['samples'],
): Readonly<Record<string, unknown>> {
  const chosen = Object.entries(when).filter(([, kind]) => kind !== 'value');
  return {
    ...samples,
    ...Object.fromEntries(chosen.map(([name, kind]) => [name, kind === 'null' ? null : kind])),
  };
}

/** Gives variables with a known place a value of its type. @returns true if there were any */
function learn(
  used: ReadonlyMap<string, TypeReference>,
  samples: Record<string, unknown>,
  typed: Set<string>,
): boolean {
  let isNew = false;
  for (const [name, type] of used) {
    if (typed.has(name)) continue;
    typed.add(name);
    samples[name] = sampleValue(type);
    isNew = true;
  }
  return isNew;
}

function rootType(roleSchema: RoleSchema, operation: Operation): ObjectType {
  const root = roleSchema.roots[operation.kind];
  if (root) return root;
  const kinds = { query: 'queries', mutation: 'mutations', subscription: 'subscriptions' };
  const message = `no ${kinds[operation.kind]} exist`;
  throw new UnknownName(`${operation.kind}_root`, firstField(operation), message, '$');
}

function sampleValue(type: TypeReference): unknown {
  if (type.kind === 'nonNull') return sampleValue(type.of);
  if (type.kind === 'list') return namedType(type).kind === 'scalar' ? [sampleValue(type.of)] : [];
  if (type.kind === 'enum') return [...type.values.keys()][0];
  if (type.kind === 'scalar') {
    if (type.name === 'Boolean') return true;
    return type.name === 'String' ? 'text' : 1;
  }
  if (type.kind !== 'input') throw new Error(`the ${type.kind} type ${type.name} is not an input type`);
  const fields = [...type.fields().values()];
  const required = fields.filter(
    (field) => field.type.kind === 'nonNull' && field.defaultValue === undefined,
  );
  const first = fields.find((field) => namedType(field.type).kind !== 'input') ?? fields[0];
  const chosen = required.length > 0 || !first ? required : [first];
  return Object.fromEntries(
    chosen.map((field) => [
      field.name,
      namedType(field.type).kind === 'input' && field.type.kind !== 'nonNull'
        ? null
        : sampleValue(field.type),
    ]),
  );
}
