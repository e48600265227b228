/**
 * Facts of access files about relationships: the rule of the related table follows from the rule of the table that the
 * relationship belongs to, so that statements do not ask it again. The compiler proves them (join.ts) before there is a request.
 *
 * A fact is the hash of everything that its proof is about: both rules, and what is known of the join. A file may be edited by
 * hand: where one of these is not what was proved any more, the hash is a different one, the fact is not believed, and the rule is asked.
 * @rule When is a fact about a relationship believed?
 */
import { createHash } from 'node:crypto';
import type { RelationshipShape, RuleText, SourceShape, TableShape } from '../contract/shapes.ts';
import { isStored, quoted, tableToken } from './knowledge.ts';
import type { Token } from './tokens.ts';

/** What a proof is about: does the rule that is asked of a joined row follow from the one that is known to hold? */
export interface Implication {
  readonly known: RuleText;
  readonly asked: RuleText;
  readonly join: JoinedBy;
}

/** How the other row is joined. */
export interface JoinedBy {
  /** The table of the row that facts are about, as `tableToken` writes it; undefined: a query need not find the row. */
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

/** A table, and the rule of a role for the rows that it may select. */
export interface RuledTable {
  readonly shape: TableShape;
  readonly where: RuleText;
}

/** Number of the prover, part of each hash. Raised when it no longer proves something that it proved before. */
const PROVER = 1;

/** What has to be proved about the rows that a relationship of `from` leads to. */
export function implicationOf(
  from: RuledTable,
  relationship: RelationshipShape,
  to: RuledTable,
): Implication {
  return {
    known: from.where,
    asked: to.where,
    join: {
      from: isStored(from.shape) ? tableToken(from.shape) : undefined,
      to: tableToken(to.shape),
      pairs: Object.entries(relationship.columns).map(([own, other]) => ({
        own: quoted(own),
        other: quoted(other),
        ownType: comparedType(from.shape, own),
        otherType: comparedType(to.shape, other),
      })),
      unique: relationship.unique === true,
    },
  };
}

/** The fact that an implication was proved, as access files hold it. */
export function factOf({ known, asked, join }: Implication): string {
  const proved = JSON.stringify([PROVER, known, asked, join]);
  return createHash('sha256').update(proved).digest('hex').slice(0, 32);
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
