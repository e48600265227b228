/**
 * The one table of comparison operators: request filters and permission
 * filters both read it, so an operator means the same in either.
 * @rule Which comparison operators exist, for which types, as which SQL?
 */
import { type Sql, sql } from './sql/fragment.ts';
import { compare, infixOperator, quantified } from './sql/operand.ts';
import { nested } from './sql/statement.ts';
import { hasTotalComparison } from './total-comparison.ts';
import type { ColumnType } from './types.ts';

/** The right operand of an operator. */
export type OperatorArgument =
  /** A value of the column's own type. */
  | { readonly kind: 'same' }
  /** A list of values of the column's own type, one array parameter. */
  | { readonly kind: 'list' }
  /** A value, or with `list` an array, of a fixed type: a type key of pg_catalog, or an extension's type by name. */
  | { readonly kind: 'type'; readonly type: string; readonly list?: true }
  /** An object with fields of fixed types; PostGIS functions with more than one argument. */
  | { readonly kind: 'object'; readonly typeName: string; readonly fields: readonly OperatorField[] };

interface OperatorField {
  readonly name: string;
  /** A type key, or `same` for the column's own type. */
  readonly type: string;
  readonly required?: true;
  readonly defaultValue?: boolean;
}

export interface Operator {
  readonly name: string;
  /** Text of the field in GraphQL schemas. */
  readonly description?: string;
  /** Sentence of the reference, for an operator whose field has no description. */
  readonly meaning?: string;
  readonly accepts: (type: ColumnType) => boolean;
  readonly argument: OperatorArgument;
  /**
   * True where the comparison fails for no value of the type, once its operand was accepted. Only then may Postgres evaluate
   * it before it knows that the role may see the row (query/condition.ts). False wherever it is not certain.
   */
  readonly isTotal: (type: ColumnType) => boolean;
  /** The operand is a LIKE pattern, which must not end in its escape character, or a regular expression. */
  readonly pattern?: 'like' | 'regex';
  /** SQL of the comparison of a value of a type; `right` has one entry, or for object arguments one for every field, in order. */
  readonly sql: (type: ColumnType, left: Sql, ...right: readonly Sql[]) => Sql;
}

const always = (type: ColumnType) => type.family !== undefined;
const never = () => false;
const ordered = (type: ColumnType) => type.family !== 'raster';
/** Postgres has `=` and no `<>` for these types. */
const WITHOUT_INEQUALITY: ReadonlySet<string> = new Set(
  ['box', 'path', 'line'].flatMap((name) => [name, `"${name}"`, `"pg_catalog"."${name}"`]),
);
export const hasInequality = ({ sql: name }: ColumnType) => !WITHOUT_INEQUALITY.has(name);
const family =
  (...families: readonly ColumnType['family'][]) =>
  (type: ColumnType) =>
    families.includes(type.family);

function infix(
  name: string,
  accepts: Operator['accepts'],
  operator: string,
  argument: OperatorArgument = { kind: 'same' },
  description?: string,
): Operator {
  return {
    name,
    accepts,
    argument,
    isTotal: never,
    ...(description ? { description } : {}),
    sql: (type, left, right) => nested(compare(left, operator, type, right!)),
  };
}

function call(
  name: string,
  accepts: Operator['accepts'],
  functionName: string,
  description: string,
  argument: OperatorArgument = { kind: 'same' },
): Operator {
  const start: Sql = { nodes: [{ kind: 'text', text: `${functionName}(` }] };
  return {
    name,
    accepts,
    argument,
    description,
    isTotal: never,
    sql: (_, left, ...right) => sql`${start}${left}, ${right.reduce((all, part) => sql`${all}, ${part}`)})`,
  };
}

/** An operator that is total for the types that it accepts, or for some of them. */
function total(operator: Operator, isTotal: Operator['isTotal'] = always): Operator {
  return { ...operator, isTotal };
}

/**
 * LIKE and its like: matching fails only for a pattern that ends in the escape character, which is refused before, and for
 * every value with a nondeterministic collation.
 */
function pattern(name: string, operator: string, description: string): Operator {
  const matching = infix(name, isText, operator, { kind: 'same' }, description);
  return total({ ...matching, pattern: 'like' }, (type) => !type.isNondeterministic);
}

function regex(name: string, operator: string, description: string): Operator {
  return { ...infix(name, isText, operator, { kind: 'same' }, description), pattern: 'regex' };
}

/** Items of a list of arrays are cast only where a row is reached. */
const inList = (type: ColumnType) => !type.element && hasTotalComparison(type);

const text: OperatorArgument = { kind: 'type', type: 'text' };
const textList: OperatorArgument = { kind: 'type', type: 'text', list: true };
const isText = family('text');
const isJsonb = family('jsonb');
const isGeometry = family('geometry');
const isGeography = family('geography');
const isRaster = family('raster');
const isLtree = family('ltree');

/** Every operator, in the order in which documentation lists them. `_is_null` and `_cast` have their own grammar. */
export const OPERATORS: readonly Operator[] = [
  {
    ...total(infix('_eq', always, '='), hasTotalComparison),
    meaning: 'is the value equal to the given one',
  },
  {
    ...total(infix('_neq', hasInequality, '<>'), hasTotalComparison),
    meaning: 'is the value not equal to the given one',
  },
  {
    name: '_neq',
    meaning: 'is the value not equal to the given one',
    accepts: (type) => !hasInequality(type),
    argument: { kind: 'same' },
    isTotal: hasTotalComparison,
    sql: (type, left, right) => nested(sql`not ${nested(sql`${left}${infixOperator('=', type)}${right!}`)}`),
  },
  {
    name: '_in',
    meaning: 'is the value one of the given ones',
    accepts: always,
    argument: { kind: 'list' },
    isTotal: inList,
    sql: (type, left, right) => nested(quantified(left, '=', type, 'any', right!)),
  },
  {
    name: '_nin',
    meaning: 'is the value none of the given ones',
    accepts: (type) => !hasInequality(type),
    argument: { kind: 'list' },
    isTotal: inList,
    sql: (type, left, right) => nested(sql`not ${nested(quantified(left, '=', type, 'any', right!))}`),
  },
  {
    name: '_nin',
    meaning: 'is the value none of the given ones',
    accepts: hasInequality,
    argument: { kind: 'list' },
    isTotal: inList,
    sql: (type, left, right) => nested(quantified(left, '<>', type, 'all', right!)),
  },
  {
    ...total(infix('_gt', ordered, '>'), hasTotalComparison),
    meaning: 'is the value greater than the given one',
  },
  {
    ...total(infix('_lt', ordered, '<'), hasTotalComparison),
    meaning: 'is the value less than the given one',
  },
  {
    ...total(infix('_gte', ordered, '>='), hasTotalComparison),
    meaning: 'is the value greater than or equal to the given one',
  },
  {
    ...total(infix('_lte', ordered, '<='), hasTotalComparison),
    meaning: 'is the value less than or equal to the given one',
  },
  pattern('_like', 'like', 'does the column match the given pattern'),
  pattern('_nlike', 'not like', 'does the column NOT match the given pattern'),
  pattern('_ilike', 'ilike', 'does the column match the given case-insensitive pattern'),
  pattern('_nilike', 'not ilike', 'does the column NOT match the given case-insensitive pattern'),
  regex('_similar', 'similar to', 'does the column match the given SQL regular expression'),
  regex('_nsimilar', 'not similar to', 'does the column NOT match the given SQL regular expression'),
  regex('_regex', '~', 'does the column match the given POSIX regular expression, case sensitive'),
  regex('_iregex', '~*', 'does the column match the given POSIX regular expression, case insensitive'),
  regex('_nregex', '!~', 'does the column NOT match the given POSIX regular expression, case sensitive'),
  regex('_niregex', '!~*', 'does the column NOT match the given POSIX regular expression, case insensitive'),
  total(
    infix('_contains', family('array'), '@>', { kind: 'same' }, 'does the array contain the given value'),
    hasTotalComparison,
  ),
  total(
    infix(
      '_contained_in',
      family('array'),
      '<@',
      { kind: 'same' },
      'is the array contained in the given array value',
    ),
    hasTotalComparison,
  ),
  total(
    infix(
      '_contains',
      isJsonb,
      '@>',
      { kind: 'same' },
      'does the column contain the given json value at the top level',
    ),
  ),
  total(
    infix(
      '_contained_in',
      isJsonb,
      '<@',
      { kind: 'same' },
      'is the column contained in the given json value',
    ),
  ),
  total(infix('_has_key', isJsonb, '?', text, 'does the string exist as a top-level key in the column')),
  total(
    infix(
      '_has_keys_any',
      isJsonb,
      '?|',
      textList,
      'do any of these strings exist as top-level keys in the column',
    ),
  ),
  total(
    infix(
      '_has_keys_all',
      isJsonb,
      '?&',
      textList,
      'do all of these strings exist as top-level keys in the column',
    ),
  ),
  total(
    infix(
      '_ancestor',
      isLtree,
      '@>',
      { kind: 'same' },
      'is the left argument an ancestor of right (or equal)?',
    ),
  ),
  infix('_ancestor_any', isLtree, '@>', { kind: 'list' }, 'does array contain an ancestor of `ltree`?'),
  total(
    infix(
      '_descendant',
      isLtree,
      '<@',
      { kind: 'same' },
      'is the left argument a descendant of right (or equal)?',
    ),
  ),
  infix('_descendant_any', isLtree, '<@', { kind: 'list' }, 'does array contain a descendant of `ltree`?'),
  total(infix('_matches', isLtree, '~', { kind: 'type', type: 'lquery' }, 'does `ltree` match `lquery`?')),
  infix(
    '_matches_any',
    isLtree,
    '?',
    { kind: 'type', type: 'lquery', list: true },
    'does `ltree` match any `lquery` in array?',
  ),
  infix(
    '_matches_fulltext',
    isLtree,
    '@',
    { kind: 'type', type: 'ltxtquery' },
    'does `ltree` match `ltxtquery`?',
  ),
  call('_st_contains', isGeometry, 'ST_Contains', 'does the column contain the given geometry value'),
  call('_st_crosses', isGeometry, 'ST_Crosses', 'does the column cross the given geometry value'),
  call(
    '_st_equals',
    isGeometry,
    'ST_Equals',
    'is the column equal to given geometry value (directionality is ignored)',
  ),
  call(
    '_st_intersects',
    isGeometry,
    'ST_Intersects',
    'does the column spatially intersect the given geometry value',
  ),
  call(
    '_st_3d_intersects',
    isGeometry,
    'ST_3DIntersects',
    'does the column spatially intersect the given geometry value in 3D',
  ),
  call(
    '_st_overlaps',
    isGeometry,
    'ST_Overlaps',
    "does the column 'spatially overlap' (intersect but not completely contain) the given geometry value",
  ),
  call(
    '_st_touches',
    isGeometry,
    'ST_Touches',
    'does the column have at least one point in common with the given geometry value',
  ),
  call('_st_within', isGeometry, 'ST_Within', 'is the column contained in the given geometry value'),
  distance(
    '_st_d_within',
    'ST_DWithin',
    'is the column within a given distance from the given geometry value',
  ),
  distance(
    '_st_3d_d_within',
    'ST_3DDWithin',
    'is the column within a given 3D distance from the given geometry value',
  ),
  call(
    '_st_intersects',
    isGeography,
    'ST_Intersects',
    'does the column spatially intersect the given geography value',
  ),
  call(
    '_st_d_within',
    isGeography,
    'ST_DWithin',
    'is the column within a given distance from the given geography value',
    {
      kind: 'object',
      typeName: 'st_d_within_geography_input',
      fields: [
        { name: 'from', type: 'same', required: true },
        { name: 'distance', type: 'float4', required: true },
        { name: 'use_spheroid', type: 'bool', defaultValue: true },
      ],
    },
  ),
  call(
    '_st_intersects_rast',
    isRaster,
    'ST_Intersects',
    'does the column spatially intersect the given raster value',
  ),
  call(
    '_st_intersects_nband_geom',
    isRaster,
    'ST_Intersects',
    'does the given band of the column spatially intersect the given geometry value',
    {
      kind: 'object',
      typeName: 'st_intersects_nband_geom_input',
      fields: [
        { name: 'nband', type: 'int4', required: true },
        { name: 'geommin', type: 'geometry', required: true },
      ],
    },
  ),
  call(
    '_st_intersects_geom_nband',
    isRaster,
    'ST_Intersects',
    'does the column, or a band of it, spatially intersect the given geometry value',
    {
      kind: 'object',
      typeName: 'st_intersects_geom_nband_input',
      fields: [
        { name: 'geommin', type: 'geometry', required: true },
        { name: 'nband', type: 'int4' },
      ],
    },
  ),
];

function distance(name: string, functionName: string, description: string): Operator {
  return call(name, isGeometry, functionName, description, {
    kind: 'object',
    typeName: 'st_d_within_input',
    fields: [
      { name: 'from', type: 'same', required: true },
      { name: 'distance', type: 'float4', required: true },
    ],
  });
}

/** Memo: a column type never changes. */
const byType = new WeakMap<ColumnType, ReadonlyMap<string, Operator>>();

/** Operators of a column type, by name. */
export function operatorsOf(type: ColumnType): ReadonlyMap<string, Operator> {
  let operators = byType.get(type);
  if (!operators) {
    operators = new Map(
      OPERATORS.filter((operator) => operator.accepts(type)).map((operator) => [operator.name, operator]),
    );
    byType.set(type, operators);
  }
  return operators;
}

/** Further spellings that metadata and the legacy data operations accept. */
export const METADATA_SPELLINGS: Readonly<Record<string, string>> = {
  _ne: '_neq',
  _has_any_keys: '_has_keys_any',
  _has_all_keys: '_has_keys_all',
};

/** Column-to-column comparisons of permissions: name → SQL operator. */
export const COLUMN_OPERATORS: Readonly<Record<string, string>> = {
  _ceq: '=',
  _cne: '<>',
  _cneq: '<>',
  _cgt: '>',
  _clt: '<',
  _cgte: '>=',
  _clte: '<=',
};
