/**
 * Statements as data: each kind of fragment that somebody may ask about, what it consists of, and how it is printed. The text
 * is made of the clauses here and nowhere else, so what a visitor finds is what is sent (reads.ts, writes.ts, holes.ts).
 */
import type { RulePart } from '../condition/rule.ts';
import {
  builtIn,
  CLOSE,
  eachPart,
  FALSE,
  identifier,
  join,
  knownMeaning,
  laidOut,
  means,
  OPEN,
  quoteIdentifier,
  raw,
  type Sql,
  sql,
} from './fragment.ts';
import type { ReadNotes } from './reads.ts';

/** What fragments are, by kind. */
interface Nodes {
  /** A table by name. */
  table: { schema: string; name: string };
  /** The name of the rows of an item of FROM, or of a written table. */
  alias: { name: string };
  /** `row`: an alias, or an expression that is a row. */
  column: { row: Sql; name: string };
  /** A call of a function of the database; those of PostgreSQL are plain text. */
  call: { schema: string; name: string };
  /** `operator` as written: `=`, `like`, `operator(pg_catalog.=)`. */
  comparison: { left: Sql; operator: string; right: Sql };
  /** An expression or a statement in parentheses. */
  nested: { inner: Sql };
  /** Conditions that all have to hold. */
  and: { conditions: readonly Sql[] };
  /** Conditions of which one has to hold. */
  or: { conditions: readonly Sql[] };
  /** `case when … then … end`: the second condition is evaluated only where the first one holds. */
  guarded: { when: Sql; then: Sql };
  /** A value that no row decides, and that is not one parameter. */
  constant: object;
  /** Rows gathered to a JSON list. */
  list: object;
  /** The rows of a table that an array holds. */
  rows: { schema: string; name: string };
  /** A rule of the metadata, one of its conditions, or the value of a preset, for a row. */
  rule: { rule: RulePart; row: Sql };
  /** What differs between roles, for saved statements: `text`, without braces, says what is put in (saved-sql.ts). `row`: that a rule is about. */
  hole: { text: string; value: Sql; row: Sql | undefined };
  /** A statement of the file of a saved operation, whose holes are filled: a text, and what the file says of it. */
  saved: { reads: ReadNotes };
  select: Select;
  insert: Insert;
  update: Update;
  delete: Delete;
  with: With;
  /** A write that returns columns of its rows. */
  returning: { write: Sql; columns: Sql };
}

export type NodeKind = keyof Nodes;

export type Meaning<Of extends NodeKind = NodeKind> = {
  [Each in Of]: { readonly kind: Each } & Readonly<Nodes[Each]>;
}[Of];

export type TableName = Meaning<'table'>;

/** An item of FROM. */
export interface FromItem {
  /** How it is joined with those before it. Absent: it is the first. */
  readonly join?: ',' | 'join' | 'left join' | 'cross join' | 'cross join lateral';
  /** A table, a call, a statement in parentheses, or a WITH item. */
  readonly rows: Sql;
  readonly alias?: Sql;
  /** Names of its columns. */
  readonly columns?: readonly Sql[];
  readonly on?: Sql;
  /** The column that both sides have. */
  readonly using?: Sql;
}

export interface Select {
  /** Expressions that are different in each row; none: not `distinct on`. */
  readonly distinct?: readonly Sql[];
  /** The select list. */
  readonly columns?: Sql;
  /** The item of FROM whose rows the select list returns unchanged. */
  readonly whole?: Sql;
  readonly from?: readonly FromItem[];
  /** Conditions that all have to hold. */
  readonly where?: readonly Sql[];
  readonly group?: Sql;
  readonly having?: readonly Sql[];
  readonly order?: readonly Sql[];
  readonly limit?: Sql | undefined;
  readonly offset?: Sql | undefined;
  /** `fetch first …`, `for no key update …`. */
  readonly ending?: Sql;
}

export interface Insert {
  readonly table: Sql;
  readonly alias: Sql;
  readonly columns?: readonly Sql[];
  /** `values …`, `default values` or a SELECT. */
  readonly source: Sql;
  /** What the columns get: once for each row, or once for all of them. */
  readonly values?: readonly (readonly Sql[])[];
  readonly conflict?: Conflict | undefined;
}

export interface SetColumn {
  readonly column: string;
  readonly value: Sql;
}

interface Conflict {
  /** What names the constraint or index. */
  readonly target?: Sql | undefined;
  /** None: the row is left alone. */
  readonly set: readonly SetColumn[];
  readonly where: readonly Sql[];
}

export interface Update {
  readonly table: Sql;
  readonly alias: Sql;
  readonly set: readonly SetColumn[];
  readonly where: readonly Sql[];
}

export interface Delete {
  readonly table: Sql;
  readonly alias: Sql;
  readonly where: readonly Sql[];
}

/** A statement with one WITH item. */
export interface With {
  readonly name: Sql;
  readonly isMaterialized?: true;
  readonly item: Sql;
  /** What the item returns, if it writes. */
  readonly returning?: Sql;
  readonly statement: Sql;
}

/** One function for each kind, each of which notes what it finds. */
export type Visitor<Found> = {
  readonly [Each in NodeKind]: (meaning: Meaning<Each>, found: Found, fragment: Sql) => void;
};

/** What a fragment is; undefined for one that is an expression of no kind of its own. */
export function meaningOf(fragment: Sql): Meaning | undefined {
  return knownMeaning(fragment) as Meaning | undefined;
}

/** Calls the visitor's function for what a fragment is, or for what an expression of no kind consists of. */
export function visit<Found>(visitor: Visitor<Found>, fragment: Sql, found: Found): void {
  const meaning = meaningOf(fragment);
  if (!meaning) visitParts(visitor, fragment, found);
  else
    (visitor[meaning.kind] as (meaning: Meaning, found: Found, fragment: Sql) => void)(
      meaning,
      found,
      fragment,
    );
}

/** Visits what a fragment consists of, whatever it is. */
export function visitParts<Found>(visitor: Visitor<Found>, fragment: Sql, found: Found): void {
  eachPart(fragment, (part) => {
    if (typeof part !== 'string' && 'nodes' in part) visit(visitor, part, found);
  });
}

/** Every constructor goes through here, so that a meaning is one of these. */
function node(meaning: Meaning, parts: readonly (string | Sql)[]): Sql {
  return means(Object.freeze(meaning), parts);
}

export function tableNamed(schema: string, name: string): Sql {
  return node({ kind: 'table', schema, name }, [quoteIdentifier(schema, name)]);
}

export function aliasNamed(name: string): Sql {
  return node({ kind: 'alias', name }, [quoteIdentifier(name)]);
}

export function columnOf(row: Sql, name: string): Sql {
  return node({ kind: 'column', row, name }, [row, `.${quoteIdentifier(name)}`]);
}

export function callOf(schema: string, name: string, values: readonly Sql[]): Sql {
  return node({ kind: 'call', schema, name }, [
    quoteIdentifier(schema, name),
    OPEN,
    join(values, ', '),
    CLOSE,
  ]);
}

/** The SQL of a native query where a call would be: what it reads is not looked into, like the body of a function. */
export function nativeOf(schema: string, name: string, parts: readonly (string | Sql)[]): Sql {
  return node({ kind: 'call', schema, name }, parts);
}

export function comparisonOf(left: Sql, operator: string, right: Sql): Sql {
  return node({ kind: 'comparison', left, operator, right }, [left, ` ${operator} `, right]);
}

/** Conditions that all have to hold, where `and` may follow and precede. */
export function conjunction(conditions: readonly Sql[]): Sql {
  return node({ kind: 'and', conditions }, [join(conditions, ' and ')]);
}

/** Conjunction in parentheses where needed; `true` when there is nothing to say. */
export function and(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return raw('true');
  if (conditions.length === 1) return conditions[0]!;
  return node({ kind: 'and', conditions }, [OPEN, join(conditions, ' and '), CLOSE]);
}

export function or(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return FALSE;
  if (conditions.length === 1) return conditions[0]!;
  return nested(disjunction(conditions));
}

/** Without parentheses. */
export function disjunction(conditions: readonly Sql[]): Sql {
  return node({ kind: 'or', conditions }, [join(conditions, ' or ')]);
}

/** A condition that is evaluated only where another one holds; null elsewhere. */
export function guardedCondition(when: Sql, then: Sql): Sql {
  return node({ kind: 'guarded', when, then }, ['case when ', when, ' then ', then, ' end']);
}

export function constant(value: Sql): Sql {
  return node({ kind: 'constant' }, [value]);
}

/** @param ending order and filter */
export function jsonList(row: Sql, ending?: Sql): Sql {
  return node({ kind: 'list' }, [builtIn('json_agg', ending ? sql`${row}${ending}` : row)]);
}

export function rowsOfTable({ schema, name }: Omit<TableName, 'kind'>, rows: Sql): Sql {
  return node({ kind: 'rows', schema, name }, [rows]);
}

/** @param text the SQL of the rule for the row */
export function ruleFor(rule: RulePart, row: Sql, text: Sql): Sql {
  return node({ kind: 'rule', rule, row }, [text]);
}

/** @param text without braces */
export function holeFor(text: string, value: Sql, row?: Sql): Sql {
  return node({ kind: 'hole', text, value, row }, [value]);
}

/** @param parts texts and what is put in the holes */
export function savedStatementOf(reads: ReadNotes, parts: readonly (string | Sql)[]): Sql {
  return node({ kind: 'saved', reads }, parts);
}

/** How clauses begin. */
const SELECT = laidOut('select ', 'select');
const FROM = laidOut(' from ', 'clause');
const WHERE = laidOut(' where ', 'clause');
const GROUP = laidOut(' group by ', 'clause');
const HAVING = laidOut(' having ', 'clause');
const ORDER = laidOut(' order by ', 'clause');
const LIMIT = laidOut(' limit ', 'clause');
const OFFSET = laidOut(' offset ', 'clause');
const SET = laidOut(' set ', 'clause');
const CONFLICT = laidOut(' on conflict', 'clause');
const RETURNING = laidOut(' returning ', 'clause');
/** Precedes a statement, or what it begins with. */
export const CLAUSE: Sql = laidOut(' ', 'clause');
const JOINS: Readonly<Record<NonNullable<FromItem['join']>, string | Sql>> = {
  ',': ', ',
  join: laidOut(' join ', 'clause'),
  'left join': laidOut(' left join ', 'clause'),
  'cross join': laidOut(' cross join ', 'clause'),
  'cross join lateral': laidOut(' cross join lateral ', 'clause'),
};

export function selectStatement(clauses: Select): Sql {
  const { distinct = [], columns, from = [], where = [], group, having = [] } = clauses;
  const { order = [], limit, offset, ending } = clauses;
  const parts: (string | Sql)[] = [columns || distinct.length > 0 ? SELECT : 'select'];
  if (distinct.length > 0) parts.push('distinct on (', join(distinct, ', '), columns ? ') ' : ')');
  if (columns) parts.push(columns);
  if (from.length > 0) parts.push(FROM, ...from.flatMap(itemParts));
  parts.push(...whereParts(where));
  if (group) parts.push(GROUP, group);
  if (having.length > 0) parts.push(HAVING, join(having, ' and '));
  if (order.length > 0) parts.push(ORDER, join(order, ', '));
  if (limit) parts.push(LIMIT, limit);
  if (offset) parts.push(OFFSET, offset);
  if (ending) parts.push(' ', ending);
  return node({ kind: 'select', ...clauses }, parts);
}

function itemParts(item: FromItem): (string | Sql)[] {
  const { rows, alias: name, columns, on, using } = item;
  return [
    ...(item.join === undefined ? [] : [JOINS[item.join]]),
    rows,
    ...(name ? [' as ', name] : []),
    ...(columns ? [' ', OPEN, join(columns, ', '), CLOSE] : []),
    ...(on ? [' on ', on] : []),
    ...(using ? [' using (', using, ')'] : []),
  ];
}

function whereParts(where: readonly Sql[]): (string | Sql)[] {
  return where.length > 0 ? [WHERE, join(where, ' and ')] : [];
}

/** Parentheses: a statement in them is an expression, or an item of FROM. */
export function nested(inner: Sql): Sql {
  return node({ kind: 'nested', inner }, [OPEN, inner, CLOSE]);
}

export function insertInto(clauses: Insert): Sql {
  const { table: into, alias: name, columns, source, conflict } = clauses;
  const parts: (string | Sql)[] = ['insert into ', into, ' as ', name];
  if (columns) parts.push(' ', OPEN, join(columns, ', '), CLOSE);
  parts.push(CLAUSE, source);
  if (conflict) {
    const { target, set, where } = conflict;
    parts.push(CONFLICT);
    if (target) parts.push(' ', target);
    if (set.length === 0) parts.push(' do nothing');
    else parts.push(' do update', SET, assignments(set), ...whereParts(where));
  }
  return node({ kind: 'insert', ...clauses }, parts);
}

function assignments(set: readonly SetColumn[]): Sql {
  return join(
    set.map(({ column, value }) => sql`${identifier(column)} = ${value}`),
    ', ',
  );
}

export function updateOf(clauses: Update): Sql {
  const { table: of, alias: name, set, where } = clauses;
  return node({ kind: 'update', ...clauses }, [
    'update ',
    of,
    ' as ',
    name,
    SET,
    assignments(set),
    ...whereParts(where),
  ]);
}

export function deleteFrom(clauses: Delete): Sql {
  const { table: from, alias: name, where } = clauses;
  return node({ kind: 'delete', ...clauses }, ['delete', FROM, from, ' as ', name, ...whereParts(where)]);
}

export function withItem(clauses: With): Sql {
  const { name, isMaterialized, item, returning: columns, statement } = clauses;
  const written = columns ? returning(item, columns) : item;
  return node({ kind: 'with', ...clauses }, [
    'with ',
    name,
    isMaterialized ? ' as materialized ' : ' as ',
    OPEN,
    written,
    CLOSE,
    CLAUSE,
    statement,
  ]);
}

/** A write that returns columns of its rows. */
export function returning(write: Sql, columns: Sql): Sql {
  return node({ kind: 'returning', write, columns }, [write, RETURNING, columns]);
}
