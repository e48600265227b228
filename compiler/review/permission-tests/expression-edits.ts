/** Ways to weaken a boolean expression of a permission, as an edit of the metadata would. */

import type { TableShape } from '../../../runtime/core/contract/shapes.ts';
import { isObject } from '../../../runtime/core/json/json.ts';
import { objectKey } from '../../../runtime/core/names.ts';
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';
import type { Json, JsonObject } from '../../../runtime/metadata/metadata.ts';
import { namesSession } from '../../../runtime/metadata/values.ts';

export interface ExpressionEdit {
  readonly expression: JsonObject;
  /** `without status: { _ne: closed }`, with the way to it: `in ticket.customer: without …`. */
  readonly what: string;
}

/** The table that an expression is about, and what it needs to know of others. */
export interface ExpressionPlace {
  readonly vocabulary: Vocabulary;
  readonly shape: TableShape;
  readonly tableOf: (key: string) => TableShape | undefined;
}

/** Every edit that may let more rows through. Whether one does is for the caller to judge: some change nothing. */
export function expressionEdits(place: ExpressionPlace, expression: JsonObject): ExpressionEdit[] {
  const anyRow = parts(expression).some((part) => namesSession(part, place.vocabulary))
    ? [
        {
          expression: { _exists: { _table: reference(place.shape), _where: expression } },
          what: `for some row of ${place.shape.name} instead of this one: ${metadataWords(expression)}`,
        },
      ]
    : [];
  return [...edits(place, expression), ...anyRow];
}

function edits(place: ExpressionPlace, expression: JsonObject): ExpressionEdit[] {
  const all = parts(expression);
  if (all.length === 0) return [];
  const without = all.map((part, index) => ({
    expression: conjunction(all.toSpliced(index, 1)),
    what: `without ${metadataWords(part)}`,
  }));
  const either =
    all.length > 1
      ? [{ expression: { _or: all }, what: `with _or instead of _and: ${all.map(metadataWords).join('; ')}` }]
      : [];
  const branch = branchOf(place.shape, expression);
  const more = branch
    ? [{ expression: { _or: [expression, branch] }, what: `with a branch: _or ${metadataWords(branch)}` }]
    : [];
  const inside = all.flatMap((part, index) =>
    partEdits(place, part).map((edit) => ({
      ...edit,
      expression: conjunction(all.with(index, edit.expression)),
    })),
  );
  return [...without, ...either, ...more, ...inside];
}

/** Edits inside one part of a conjunction. */
function partEdits(place: ExpressionPlace, part: JsonObject): ExpressionEdit[] {
  const [[key, value] = ['', null]] = Object.entries(part);
  const { columns, relationships = {} } = place.shape;
  if (Object.hasOwn(columns, key)) return isObject(value) ? looserPatterns(key, value, place.vocabulary) : [];
  const name = operatorName(key);
  if (name === '_or' && Array.isArray(value))
    return value.flatMap((item: Json, index) =>
      isObject(item)
        ? edits(place, item).map((edit) => ({
            ...edit,
            expression: { [key]: value.with(index, edit.expression) },
          }))
        : [],
    );
  if (!isObject(value)) return [];
  if (name === '_exists') {
    const { _table, $table = _table, _where, $where = _where } = value;
    const target = $table === undefined ? undefined : place.tableOf(keyOf($table));
    if (!target || !isObject($where)) return [];
    return within(target.name, edits({ ...place, shape: target }, $where), (expression) => ({
      _exists: { _table: $table!, _where: expression },
    }));
  }
  const relationship = Object.hasOwn(relationships, key) ? relationships[key] : undefined;
  const target = relationship && place.tableOf(relationship.target);
  if (!target) return [];
  return [
    ...within(key, edits({ ...place, shape: target }, value), (expression) => ({ [key]: expression })),
    {
      expression: { _exists: { _table: reference(target), _where: value } },
      what: `with _exists on ${target.name}, which need not be related, instead of ${key}: ${metadataWords(value)}`,
    },
  ];
}

/** A pattern that is found anywhere in the value, as one without anchors is. */
function looserPatterns(column: string, comparison: JsonObject, vocabulary: Vocabulary): ExpressionEdit[] {
  return Object.entries(comparison).flatMap(([operator, pattern]): ExpressionEdit[] => {
    const loosen = LOOSER[operatorName(operator)];
    if (!loosen || typeof pattern !== 'string' || namesSession(pattern, vocabulary)) return [];
    const looser = loosen(pattern);
    if (looser === pattern) return [];
    return [
      {
        expression: { [column]: { ...comparison, [operator]: looser } },
        what: `with ${column}: ${operator} ${looser} instead of ${pattern}`,
      },
    ];
  });
}

const anywhere = (pattern: string) => `%${pattern.replace(/^%+|(?<!\\)%+$/g, '')}%`;
const unanchored = (pattern: string) => pattern.replace(/^\^|(?<!\\)\$$/g, '');
const LOOSER: Readonly<Record<string, (pattern: string) => string>> = {
  _like: anywhere,
  _ilike: anywhere,
  _similar: anywhere,
  _regex: unanchored,
  _iregex: unanchored,
};

function within(
  name: string,
  inner: readonly ExpressionEdit[],
  wrap: (expression: JsonObject) => JsonObject,
): ExpressionEdit[] {
  return inner.map(({ expression, what }) => {
    const [, way, rest] = /^in (\S+): (.*)$/s.exec(what) ?? [];
    return {
      expression: wrap(expression),
      what: way === undefined ? `in ${name}: ${what}` : `in ${name}.${way}: ${rest}`,
    };
  });
}

/** The conditions that are combined by `and`, each as an object of one key; several operators of a column are several parts. */
function parts(expression: JsonObject): JsonObject[] {
  return Object.entries(expression).flatMap(([key, value]) => {
    if (operatorName(key) === '_and' && Array.isArray(value))
      return value.flatMap((item: Json) => (isObject(item) ? parts(item) : []));
    if (isObject(value) && Object.keys(value).length > 1 && Object.keys(value).every(isComparison))
      return Object.entries(value).map(
        ([operator, operand]): JsonObject => ({ [key]: { [operator]: operand } }),
      );
    return [{ [key]: value }];
  });
}

function conjunction(all: readonly JsonObject[]): JsonObject {
  const [only] = all;
  if (all.length < 2) return only ?? {};
  const keys = new Set(all.flatMap((part) => Object.keys(part)));
  return keys.size === all.length ? Object.assign({}, ...all) : { _and: [...all] };
}

/** Conditions on the row itself that hold for some rows and not for others, for any session. */
function branchOf({ columns }: TableShape, expression: JsonObject): JsonObject | undefined {
  const asked = new Set(parts(expression).flatMap((part) => Object.keys(part)));
  const free = Object.entries(columns).filter(([name]) => !asked.has(name));
  const flag = free.find(([, { type }]) => type === 'bool');
  if (flag) return { [flag[0]]: { _eq: true } };
  const nullable = free.find(([, { notNull }]) => !notNull);
  return nullable && { [nullable[0]]: { _is_null: false } };
}

const LOGICAL = new Set(['_and', '_or', '_not', '_exists']);

function isComparison(key: string): boolean {
  const name = operatorName(key);
  return name.startsWith('_') && !LOGICAL.has(name);
}

function operatorName(key: string): string {
  return key.startsWith('$') ? `_${key.slice(1)}` : key;
}

function keyOf(table: Json): string {
  if (!isObject(table)) return objectKey('public', String(table));
  return objectKey(String(table.schema ?? 'public'), String(table.name));
}

function reference({ schema, name }: TableShape): JsonObject {
  return { schema, name };
}

/** An expression as YAML has it in one line. */
export function metadataWords(value: Json): string {
  const inside = (json: Json): string => {
    if (Array.isArray(json)) return `[${json.map(inside).join(', ')}]`;
    if (!isObject(json)) return typeof json === 'string' ? json : JSON.stringify(json);
    return `{ ${entries(json)} }`.replace('{  }', '{}');
  };
  const entries = (json: JsonObject) =>
    Object.entries(json)
      .map(([key, each]) => `${key}: ${inside(each!)}`)
      .join(', ');
  return isObject(value) ? entries(value) || '{}' : inside(value);
}
