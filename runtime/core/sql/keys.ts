/**
 * Finds by which columns a statement of a live query reads each relation: where every row that it reads there has a column
 * equal to a value of the cohort, a write of rows with other values does not concern that cohort. Reads the statement's own
 * text, as reads.ts does.
 * @rule Which live queries, and which values of theirs, does a write concern?
 */
import { type Token, tokensOf } from './reads.ts';

/** A column that equals a parameter, counted from 0 among the values of a cohort. */
export interface ReadKey {
  readonly column: string;
  readonly parameter: number;
}

/** How a relation is read at one place of the statement; no keys: any row may be. */
type ReadPlace = readonly ReadKey[];

/** The places where a statement reads each relation, by `"schema"."name"` as JSON list. */
export function readKeysOf(sql: string): ReadonlyMap<string, readonly ReadPlace[]> {
  const tokens = tokensOf(sql);
  const places = new Map<string, ReadPlace[]>();
  tokens.forEach((schema, index) => {
    const name = tokens[index + 2];
    if (typeof schema !== 'object' || tokens[index + 1] !== '.' || typeof name !== 'object') return;
    const [before, as, alias] = [tokens[index - 1], tokens[index + 3], tokens[index + 4]];
    const isNamed = (before === 'from' || before === 'join') && as === 'as' && typeof alias === 'object';
    const key = relationKey(schema.name, name.name);
    // Columns of an alias are such pairs as well, which is never needed.
    places.set(key, [...(places.get(key) ?? []), isNamed ? keysOf(tokens, index, alias.name) : []]);
  });
  return places;
}

export function relationKey(schema: string, name: string): string {
  return JSON.stringify([schema, name]);
}

/** Words that end the condition of a SELECT. */
const ENDS: ReadonlySet<Token> = new Set([
  'group',
  'having',
  'order',
  'limit',
  'offset',
  'fetch',
  'window',
  'union',
]);

/** The keys of an alias in the WHERE of the SELECT whose FROM begins at `start`. */
function keysOf(tokens: readonly Token[], start: number, alias: string): ReadKey[] {
  let depth = 0;
  let where: number | undefined;
  for (let index = start; index < tokens.length; index += 1) {
    const token = tokens[index]!;
    if (token === '(') depth += 1;
    else if (token === ')') depth -= 1;
    const isEnd = depth < 0 || (depth === 0 && (ENDS.has(token) || token === 'select'));
    if (isEnd) return where === undefined ? [] : keysAmong(tokens.slice(where, index), alias);
    if (depth === 0 && token === 'where') where = index + 1;
  }
  return where === undefined ? [] : keysAmong(tokens.slice(where), alias);
}

/** The equalities that a condition has as conjuncts. */
function keysAmong(condition: readonly Token[], alias: string): ReadKey[] {
  const parts = conjuncts(condition);
  if (parts.length > 1) return parts.flatMap((part) => keysAmong(part, alias));
  const inner = withoutParentheses(condition);
  if (inner.length < condition.length) return keysAmong(inner, alias);
  const [name, dot, column, equals, ...value] = condition;
  const isColumn =
    typeof name === 'object' && name.name === alias && dot === '.' && typeof column === 'object';
  if (!isColumn || equals !== '=') return [];
  const parameter = parameterOf(value);
  return parameter === undefined ? [] : [{ column: column.name, parameter }];
}

/** Parts between the `and`s of the outermost level; one where there is an `or`, or a `between` that has an `and` of its own. */
function conjuncts(condition: readonly Token[]): (readonly Token[])[] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of condition) {
    if (token === '(' || token === 'case') depth += 1;
    else if (token === ')' || token === 'end') depth -= 1;
    if (depth === 0 && (token === 'or' || token === 'between')) return [condition];
    if (depth === 0 && token === 'and') parts.push([]);
    else parts.at(-1)!.push(token);
  }
  return parts;
}

/** Removes a pair of parentheses around the whole condition. */
function withoutParentheses(condition: readonly Token[]): readonly Token[] {
  if (condition[0] !== '(') return condition;
  let depth = 0;
  for (let index = 0; index < condition.length; index += 1) {
    if (condition[index] === '(') depth += 1;
    else if (condition[index] === ')') depth -= 1;
    if (depth === 0) return index === condition.length - 1 ? condition.slice(1, -1) : condition;
  }
  return condition;
}

/** `("_cohort"."value 2")::type`, or the same without the cast: the position. */
function parameterOf(tokens: readonly Token[]): number | undefined {
  const inner = tokens[0] === '(' ? tokens.slice(1) : tokens;
  const [cohort, dot, value, ...rest] = inner;
  if (typeof cohort !== 'object' || cohort.name !== '_cohort' || dot !== '.' || typeof value !== 'object')
    return undefined;
  const cast = tokens[0] === '(' ? rest.slice(1) : rest;
  if (tokens[0] === '(' && rest[0] !== ')') return undefined;
  const isCast = cast.length === 0 || (cast[0] === '::' && cast.slice(1).every((token) => !SIGNS.has(token)));
  const number = /^value (\d+)$/.exec(value.name)?.[1];
  return isCast && number !== undefined ? Number(number) - 1 : undefined;
}

/** Tokens that a type's name does not hold: arrays are no keys either. */
const SIGNS: ReadonlySet<Token> = new Set([
  '[',
  '+',
  '-',
  '*',
  '/',
  '|',
  '=',
  '<',
  '>',
  '(',
  'and',
  'or',
  'is',
  'collate',
  'at',
]);
