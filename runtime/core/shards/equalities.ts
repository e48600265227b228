/** The equalities that a condition demands: between columns, and between a column and a value that no row decides. */
import { isQuery, isSign, isWord, type Leaf, type SqlTree, splitBy } from './tree.ts';

export interface ColumnReference {
  readonly alias: string;
  readonly column: string;
}

/** A value as the statement writes it: `($1)::integer`. */
export interface Constant {
  readonly text: string;
}

export interface Equality {
  readonly column: ColumnReference;
  readonly other: ColumnReference | Constant;
  /** It follows from branches of OR or CASE, in which Citus does not look for it. */
  readonly isHidden?: true;
}

/** Equalities that hold wherever the condition holds. @param sql the text that the condition is part of */
export function equalitiesOf(condition: readonly SqlTree[], sql: string): readonly Equality[] {
  const branches = splitBy(condition, (node) => isWord(node, 'or'));
  if (branches.length > 1) return hidden(inAll(branches.map((branch) => equalitiesOf(branch, sql))));
  const parts = splitBy(condition, (node) => isWord(node, 'and'));
  if (parts.length > 1) return parts.flatMap((part) => equalitiesOf(part, sql));
  const [first] = condition;
  if (condition.length === 1 && first?.kind === 'group')
    return isQuery(first) ? [] : equalitiesOf(first.nodes, sql);
  if (isWord(first, 'case')) return hidden(equalitiesOfCase(condition, sql));
  const at = condition.findIndex((node) => isSign(node, '='));
  if (at < 1) return [];
  const [left, right] = [condition.slice(0, at), condition.slice(at + 1)];
  const [a, b] = [columnOf(left), columnOf(right)];
  if (a && b)
    return [
      { column: a, other: b },
      { column: b, other: a },
    ];
  const column = a ?? b;
  const other = a ? constantOf(right, sql) : constantOf(left, sql);
  return column && other ? [{ column, other }] : [];
}

/** `case when A then B end` holds where both do. */
function equalitiesOfCase(condition: readonly SqlTree[], sql: string): readonly Equality[] {
  let depth = 0;
  const at: Record<string, number[]> = {};
  condition.forEach((node, index) => {
    if (node.kind !== 'word') return;
    if (node.value === 'case') depth += 1;
    if (depth === 1 && ['when', 'then', 'else', 'end'].includes(node.value))
      at[node.value] = [...(at[node.value] ?? []), index];
    if (node.value === 'end') depth -= 1;
  });
  const { when = [], then = [], end = [] } = at;
  const isPlain = when.length === 1 && when[0] === 1 && !at.else && end[0] === condition.length - 1;
  if (!isPlain || then.length !== 1) return [];
  return [
    ...equalitiesOf(condition.slice(2, then[0]), sql),
    ...equalitiesOf(condition.slice(then[0]! + 1, end[0]), sql),
  ];
}

function hidden(equalities: readonly Equality[]): readonly Equality[] {
  return equalities.map((equality) => ({ ...equality, isHidden: true }));
}

function inAll([first = [], ...others]: (readonly Equality[])[]): readonly Equality[] {
  const keys = others.map((branch) => new Set(branch.map(keyOf)));
  return first.filter((equality) => keys.every((branch) => branch.has(keyOf(equality))));
}

function keyOf({ column, other }: Equality): string {
  return JSON.stringify([column, other]);
}

/** `"a"."b"` or `("a"."row")."b"`, also in parentheses. */
function columnOf(nodes: readonly SqlTree[]): ColumnReference | undefined {
  const [first, dot, name] = nodes;
  if (nodes.length === 1 && first?.kind === 'group') return columnOf(first.nodes);
  if (nodes.length !== 3 || !isSign(dot, '.') || name?.kind !== 'name') return undefined;
  if (first?.kind === 'name') return { alias: first.value, column: name.value };
  const row = first?.kind === 'group' ? columnOf(first.nodes) : undefined;
  return row?.column === 'row' ? { alias: row.alias, column: name.value } : undefined;
}

/** A parameter, a literal or a number, cast to a type or not. */
export function constantOf(nodes: readonly SqlTree[], sql: string): Constant | undefined {
  const [first, ...rest] = nodes;
  const last = nodes.at(-1);
  if (!first || !last) return undefined;
  if (nodes.length === 1 && first.kind === 'group') return constantOf(first.nodes, sql);
  const cast = isParameter(first, rest[0]) ? rest.slice(1) : rest;
  const isValue =
    first.kind === 'text' ||
    (first.kind === 'word' && /^\d+$/.test(first.value)) ||
    isParameter(first, rest[0]) ||
    (first.kind === 'group' && constantOf(first.nodes, sql) !== undefined);
  return isValue && isCast(cast) ? { text: sql.slice(first.start, last.end) } : undefined;
}

function isParameter(sign: SqlTree, number: SqlTree | undefined): boolean {
  return isSign(sign, '$') && number?.kind === 'word' && /^\d+$/.test(number.value);
}

const TYPE_SIGNS = ['::', '.', '[', ']'];

function isCast(nodes: readonly SqlTree[]): boolean {
  if (nodes.length === 0) return true;
  return (
    isSign(nodes[0], '::') &&
    nodes.every((node) => {
      if (node.kind === 'group')
        return node.nodes.every((each) => /^[\d,]+$/.test((each as Leaf).value ?? ''));
      if (node.kind === 'sign') return TYPE_SIGNS.includes(node.value);
      return node.kind !== 'text' && !isWord(node, 'and', 'or', 'is', 'not', 'in', 'collate', 'at');
    })
  );
}
