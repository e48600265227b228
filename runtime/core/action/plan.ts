/** Inputs of an action's call, as data: made when an operation is planned, evaluated when it runs. */
import { EngineError, type Path, pathStep } from '../errors.ts';
import { sourceValue } from '../request/bind.ts';
import { checkStrict, unexpectedNull } from '../request/refusals.ts';
import type { InputNode, Selection } from '../request/selection.ts';
import type { ScalarType, TypeReference } from '../schema/types.ts';
import { encodeValue, NumberText } from '../types.ts';
import type { ActionShape } from './shapes.ts';

export interface PlannedActionArgument {
  readonly name: string;
  readonly type: TypeReference;
  readonly node: InputNode;
}

export type CalledAction = Omit<ActionShape, 'roles'>;

/** A root field that an action answers. */
export interface ActionPart {
  /** Without its roles: who else may call it is not part of a plan. */
  readonly action: CalledAction;
  /** `enqueue`: stores the call of an asynchronous action. `result`: reads what is stored. */
  readonly mode: 'call' | 'enqueue' | 'result';
  /** Those that are given, in declared order. */
  readonly arguments: readonly PlannedActionArgument[];
  /** Type of the root field. */
  readonly type: TypeReference;
  readonly selection: Selection;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * The values of arguments, checked against their types; numbers keep their digits (NumberText).
 * @throws EngineError validation-failed or parse-failed, with the path of the value
 */
export function argumentValues(
  list: readonly PlannedActionArgument[],
  variables: Values,
): Record<string, unknown> {
  return Object.fromEntries(
    list.map(({ name, type, node }) => [name, nodeValue(type, node, variables)] as const),
  );
}

function nodeValue(type: TypeReference, node: InputNode, variables: Values): unknown {
  if (type.kind === 'nonNull') return nodeValue(type.of, node, variables);
  switch (node.kind) {
    case 'null':
      return null;
    case 'enum':
      return type.kind === 'list' ? [nodeValue(type.of, node, variables)] : node.name;
    case 'list': {
      const { of } = type as Extract<TypeReference, { kind: 'list' }>;
      return node.items.map((item) => nodeValue(of, item, variables));
    }
    case 'object': {
      if (type.kind === 'list') return [nodeValue(type.of, node, variables)];
      const definitions = [...node.type.fields().values()];
      // In declared order, not the client's.
      return Object.fromEntries(
        definitions.flatMap((definition) => {
          const field = node.fields.get(definition.name);
          return field ? [[definition.name, nodeValue(definition.type, field, variables)] as const] : [];
        }),
      );
    }
    case 'scalar':
    case 'boolean':
      return scalarValue(type, sourceValue(node.source, variables), node.path);
  }
}

/** A scalar, or a list of scalars that is one value of the request; a single value is a list of one. */
function scalarValue(type: TypeReference, value: unknown, path: Path): unknown {
  if (type.kind === 'nonNull') {
    if (value === null || value === undefined) throw unexpectedNull(type, path);
    return scalarValue(type.of, value, path);
  }
  if (value === null || value === undefined) return null;
  if (type.kind === 'list') {
    if (!Array.isArray(value)) return [scalarValue(type.of, value, path)];
    return value.map((item, index) => scalarValue(type.of, item, pathStep(path, index)));
  }
  return checkedScalar(type as ScalarType, value, path);
}

const UUID = /^[\da-f]{8}(?:-?[\da-f]{4}){3}-?[\da-f]{12}$/i;
const DATE = /^\s*(?:[+-]?\d{4,6}-\d\d-\d\d(?:\D|$)|-?infinity\s*$|epoch\s*$|now\s*$)/i;
const TIME = /^\s*\d\d:\d\d/;

function checkedScalar(type: ScalarType, value: unknown, path: Path): unknown {
  const { accepts } = type;
  if (typeof accepts === 'string') {
    checkStrict(type, value, path);
    return accepts === 'id' && typeof value !== 'string' ? numberText(value) : value;
  }
  try {
    encodeValue(accepts, value);
  } catch (error) {
    throw error instanceof EngineError ? error.below(path) : error;
  }
  if (typeof value !== 'string') return value;
  const fits =
    accepts.family === 'uuid'
      ? UUID.test(value)
      : accepts.family === 'date'
        ? (accepts.name === 'timetz' ? TIME : DATE).test(value)
        : accepts.family === 'integer'
          ? /^\s*[+-]?\d+\s*$/.test(value)
          : accepts.family !== 'float' || /^\s*[+-]?(?:\d|\.\d|nan|inf)/i.test(value);
  if (fits) return value;
  throw new EngineError(
    'parse-failed',
    `invalid input syntax for type ${accepts.name}: ${JSON.stringify(value)}`,
    {
      path,
    },
  );
}

function numberText(value: unknown): string {
  return value instanceof NumberText ? value.text : String(value);
}
