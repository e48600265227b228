/**
 * Conditions that a rule implies for the rows that a relationship leads to. If `{row}` is a row that a rule lets through, and
 * another row is joined to it, some conditions hold for the other row without being evaluated: "the invoice's customer is mine"
 * for the invoices of a customer that is mine. Implied conditions are left out of statements, which spares Postgres a
 * subquery for each row.
 * @rule When does a join make a row rule superfluous?
 */
import type { RelationshipShape, SourceShape, TableShape } from '../contract/shapes.ts';
import { isPlainType, type KnownRow } from './branch.ts';
import { type ColumnFacts, isStored, type Knowledge, nameOf, quoted, type TableFacts } from './knowledge.ts';
import { areImpossible } from './prove.ts';
import type { Rule } from './rule.ts';
import type { Statement } from './statement.ts';
import { ROW, type Token } from './tokens.ts';
import { type Condition, isReadable, rename } from './tree.ts';

/** How the other row is joined. */
export interface JoinedBy {
  /** The table of the row that facts are about, as `nameOf` writes it; undefined: a query need not find the row. */
  readonly from: string | undefined;
  readonly to: string;
  readonly pairs: readonly JoinedColumns[];
  /** At most one row of the other table is joined. */
  readonly unique: boolean;
}

interface JoinedColumns {
  /** Quoted names. */
  readonly own: Token;
  readonly other: Token;
  /** As in `ColumnFacts`. */
  readonly ownType: string | undefined;
  readonly otherType: string | undefined;
}

/** A request waits for the proof: it gives up early. */
const MAX_STEPS = 400;

/** The row that facts are about; `{row}` is the joined one. */
const FIRST: Token = '#0';

/** A table, and the rule of a role for the rows that it may select. */
export interface RuledTable {
  readonly shape: TableShape;
  readonly rule: Rule;
}

/**
 * True if the rule of `to` follows from that of `from`, for the rows that a relationship of `from` leads to. Decides what
 * statements leave out (query/visible.ts), and what ledgers say about it.
 */
export function followsThrough(from: RuledTable, relationship: RelationshipShape, to: RuledTable): boolean {
  return followsByJoin(from.rule.condition, to.rule.condition, {
    from: isStored(from.shape) ? nameOf(from.shape) : undefined,
    to: nameOf(to.shape),
    pairs: Object.entries(relationship.columns).map(([own, other]) => ({
      own: quoted(own),
      other: quoted(other),
      ownType: comparedType(from.shape, own),
      otherType: comparedType(to.shape, other),
    })),
    unique: relationship.unique === true,
  });
}

/** Key of the type whose `=` compares values of a column, if that makes them the same in every comparison. */
function comparedType({ source, columns }: TableShape, name: string): string | undefined {
  const { type, nondeterministic } = columns[name]!;
  return nondeterministic ? undefined : baseType(source, type);
}

/** Of a domain the type below, unless the database defines an equality for the domain. */
function baseType(source: SourceShape, key: string): string {
  const type = source.types[key];
  return type?.kind === 'domain' && !type.ownEquality ? baseType(source, type.base) : key;
}

/** True if a rule for the joined row follows from the rule that the first row meets. */
export function followsByJoin(known: Condition, asked: Condition, join: JoinedBy): boolean {
  if (!isReadable(asked)) return false;
  const ties = join.pairs.map(({ own, other }): Statement => {
    const tokens = [FIRST, '.', own, '=', ROW, '.', other];
    return { condition: { kind: 'leaf', text: tokens.join(''), tokens }, is: 'true' };
  });
  const facts: Statement[] = isReadable(known)
    ? [{ condition: rename(known, new Map([[ROW, FIRST]])), is: 'true' }]
    : [];
  const first: KnownRow = {
    alias: FIRST,
    source: [join.from ?? FIRST],
    unstored: join.from === undefined,
  };
  const negated: Statement = { condition: asked, is: 'not true' };
  return areImpossible([...ties, ...facts, negated], knowledgeOf(join), [first], MAX_STEPS);
}

/** No more than the relationship says: it is verified against the database, whatever else shapes claim. */
function knowledgeOf({ from = FIRST, to, pairs, unique }: JoinedBy): Knowledge {
  const columns = new Map<string, ColumnFacts>();
  const factsOf = (type: string | undefined) => ({
    type,
    notNull: false,
    scalar: type !== undefined && isPlainType(type),
  });
  for (const { own, other, ownType, otherType } of pairs)
    columns.set(`${from} ${own}`, factsOf(ownType)).set(`${to} ${other}`, factsOf(otherType));
  const facts = (table: string): TableFacts => ({
    column: (name) => columns.get(`${table} ${name}`),
    keys: unique && table === to ? [pairs.map(({ other }) => other)] : [],
  });
  return {
    row: to,
    table: (name) => (name === from || name === to ? facts(name) : undefined),
  };
}
