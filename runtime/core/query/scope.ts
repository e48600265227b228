/** Context for the SQL of one root field: fresh aliases and the server's output options. */

import { REQUEST_ALIAS } from '../condition/rule.ts';
import type { SourceShape } from '../contract/shapes.ts';
import { EngineError, type Path } from '../errors.ts';
import { MAX_IDENTIFIER } from '../names.ts';
import type { Requester } from '../program/root-fields.ts';
import { checkStrict, refuseNullItems } from '../request/refusals.ts';
import type { InputNode } from '../request/selection.ts';
import type { RoleSchema } from '../schema/role-schema.ts';
import { fixedType } from '../schema/shared-types.ts';
import type { ScalarType } from '../schema/types.ts';
import {
  type Encoding,
  identifier,
  join,
  type ParameterSource,
  parameter,
  raw,
  type Sql,
  sql,
  unnested,
} from '../sql/fragment.ts';
import { arrayParameter, typedParameter } from '../sql/spatial.ts';
import { aliasNamed, selectStatement } from '../sql/statement.ts';
import { type ColumnType, columnType, encodeItems, encodeList, encodeValue, NumberText } from '../types.ts';
import { ConditionTables } from './condition-tables.ts';
import { encodePattern } from './like-pattern.ts';

export interface PlanOptions {
  /** bigint, numeric and double precision as JSON strings. */
  readonly stringifyNumbers: boolean;
  /** `{_eq: null}` counts as true instead of failing. */
  readonly collapseNulls: boolean;
  /** A nullable variable that the request leaves out counts as not written, instead of as null. */
  readonly omitUnboundVariables?: boolean;
  /** Accept null for variables of non-null types. */
  readonly lenientNulls?: boolean;
  /** Arguments of remote schemas that are null are left out. */
  readonly skipRemoteNulls?: boolean;
  /** A comment behind each query tells where it comes from. */
  readonly queryTags?: boolean;
}

/** The requester as the planner hands it to resolvers, who pass it on unseen. */
export interface Scope extends Requester {
  readonly roleSchema: RoleSchema;
  readonly options: PlanOptions;
  /**
   * A new alias, unique within the operation: `"ticket#1"`. No response name is spelt so, and no alias of a rule.
   * @param use what it is for, in the words of the database: a table, a relationship, a function
   */
  readonly alias: (use: string) => Sql;
  readonly conditionTables: ConditionTables;
}

export function createScope(roleSchema: RoleSchema, options: PlanOptions): Scope {
  let count = 0;
  return {
    role: roleSchema.role ?? '',
    roleSchema,
    options,
    conditionTables: new ConditionTables(),
    alias: (use) => aliasNamed(`${shortened(use)}${REQUEST_ALIAS}${++count}`),
  };
}

/** Bytes of an alias that its number may take: more aliases would be a longer statement than Postgres reads. */
const ALIAS_NUMBER = 12;

/** Postgres would cut off the number of an alias that is too long, and two could become one. */
function shortened(use: string): string {
  const limit = MAX_IDENTIFIER - ALIAS_NUMBER;
  if (Buffer.byteLength(use) <= limit) return use;
  const characters = [...use];
  while (Buffer.byteLength(characters.join('')) > limit) characters.pop();
  return characters.join('');
}

/** The scope behind a requester. Resolvers get theirs from the planner, so anything else is a defect. */
export function scopeOf(requester: Requester): Scope {
  if (!('alias' in requester))
    throw new Error('a resolver was called without the requester that the planner made');
  return requester as Scope;
}

/** A parameter holding a value of a column's type; of an array column, all of it. */
export function valueParameter(node: InputNode, type: ColumnType): Sql {
  if (node.kind === 'enum')
    return parameter({ from: 'constant', value: node.value }, type.sql, String, node.path);
  if (node.kind === 'null') return raw(`null::${type.sql}`);
  const source = sourceOf(node);
  return typedParameter(type, source, (value) => encodeValue(type, value), node.path, {
    as: 'value',
    type: type.key,
  });
}

/** A parameter holding a LIKE pattern or a regular expression for a column of the type. */
export function patternParameter(node: InputNode, type: ColumnType, language: 'like' | 'regex'): Sql {
  if (node.kind !== 'scalar') return valueParameter(node, type);
  const encode = language === 'like' ? encodePattern : encodeValue;
  return parameter(node.source, type.sql, (value) => encode(type, value), node.path, {
    as: language === 'like' ? 'pattern' : 'regex',
    type: type.key,
  });
}

/**
 * The operand of `any (…)` for a list of values of an array type: Postgres has no arrays of arrays, so they travel as texts.
 * Their casts are evaluated only where a row is reached.
 */
export function arrayListOperand(node: InputNode, type: ColumnType): Sql {
  const encode = (values: unknown) => encodeArrayTexts(type, values);
  const texts = parameter(sourceOf(node), 'text[]', encode, node.path, { as: 'arrays', type: type.key });
  const [list, item] = [identifier('list'), identifier('item')];
  return selectStatement({
    columns: sql`${list}.${item}::${raw(type.sql)}`,
    from: [{ rows: unnested([texts]), alias: list, columns: [item] }],
  });
}

function encodeArrayTexts(type: ColumnType, values: unknown): string | null {
  if (values === null || values === undefined) return null;
  if (typeof values === 'string') return values;
  const texts = encodeItems(Array.isArray(values) ? values : [values], (value) => encodeValue(type, value));
  return encodeList(fixedType('text'), texts);
}

/** A parameter holding a list of values of a column's type, or an array constructor when the document mixes. */
export function listParameter(node: InputNode, type: ColumnType): Sql {
  const item = type.element ?? type;
  if (node.kind === 'list') {
    const sources = node.items.map(sourceOf);
    const constants = sources.flatMap((source) => (source.from === 'constant' ? [source.value] : []));
    if (constants.length === sources.length) {
      return arrayParameter(
        item,
        { from: 'constant', value: constants },
        (value) => encodeList(type, value as unknown[]),
        node.path,
      );
    }
    return sql`array[${join(
      node.items.map((each) => valueParameter(each, type)),
      ', ',
    )}]`;
  }
  return arrayParameter(item, sourceOf(node), (value) => encodeWhole(type, value), node.path, {
    as: 'list',
    type: type.key,
  });
}

/** Postgres' own text of an array, with or without its bounds. */
const ARRAY_TEXT = /^\s*(\[[^=]*\]\s*=\s*)?\{/;

/** A single value is a list of one, as GraphQL has it. */
function encodeWhole(type: ColumnType, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' && type.family !== 'text' && ARRAY_TEXT.test(value)) return value;
  return encodeList(type, Array.isArray(value) ? value : [value]);
}

/** A parameter of an argument that is not a column value (`limit`, `offset`, `path`). */
export function strictParameter(node: InputNode, sqlType: string, encode?: (value: string) => string): Sql {
  const type = scalarOfNode(node);
  const write = (value: unknown) => encodeArgument(type, value, node.path);
  if (encode) return parameter(sourceOf(node), sqlType, (value) => encode(write(value)), node.path);
  return parameter(sourceOf(node), sqlType, write, node.path, {
    as: 'argument',
    scalar: type.name,
    ...(typeof type.accepts === 'string' ? { accepts: type.accepts } : {}),
  });
}

function encodeArgument(type: Pick<ScalarType, 'name' | 'accepts'>, value: unknown, path: Path): string {
  checkStrict(type, value, path);
  return value instanceof NumberText ? value.text : String(value);
}

/** The function that an encoding describes, for values of a source. */
export function encoderOf(
  encoding: Encoding,
  source: SourceShape,
  path: Path,
): (value: unknown) => string | null {
  if (encoding.as === 'argument') {
    const { scalar: name, accepts } = encoding;
    // Without `accepts` the value is a column's: its text goes to Postgres as it is.
    const type = { name, accepts: (accepts ?? columnType(source, 'text')) as ScalarType['accepts'] };
    return (value) => encodeArgument(type, value, path);
  }
  if (encoding.as === 'part') throw new Error('parts of values are never parameters of a saved statement');
  const type = columnType(source, encoding.type);
  return (value) => {
    if (encoding.as === 'arrays') {
      refuseNullItems(type, value, path);
      return encodeArrayTexts(type, value);
    }
    if (encoding.as === 'pattern') return encodePattern(type, value);
    if (encoding.as === 'list' || type.element) refuseNullItems(type, value, path);
    return encoding.as === 'list' ? encodeWhole(type, value) : encodeValue(type, value);
  };
}

function scalarOfNode(node: InputNode): ScalarType {
  if (node.kind === 'scalar' || node.kind === 'boolean') return node.type;
  throw new Error(`the ${node.kind} value at ${node.path} is not a scalar`);
}

/** Where a scalar's value comes from. */
export function sourceOf(node: InputNode): ParameterSource {
  if (node.kind === 'scalar' || node.kind === 'boolean') return node.source;
  if (node.kind === 'null') return { from: 'constant', value: null };
  if (node.kind === 'enum') return { from: 'constant', value: node.value };
  if (node.kind === 'list') {
    const items = node.items.map(sourceOf);
    const constants = items.flatMap((item) => (item.from === 'constant' ? [item.value] : []));
    return constants.length === items.length
      ? { from: 'constant', value: constants }
      : { from: 'list', items };
  }
  throw new EngineError('validation-failed', 'expected a scalar, but found an object', { path: node.path });
}
