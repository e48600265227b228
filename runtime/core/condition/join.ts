/**
 * Conditions that a rule implies for the rows that a relationship leads to. If `{row}` is a row that a rule lets through, and
 * another row is joined to it, some conditions hold for the other row without being evaluated: "the invoice's customer is mine"
 * for the invoices of a customer that is mine. Implied conditions are left out of statements, which spares Postgres a
 * subquery for each row.
 * @rule When does a join make a row rule superfluous?
 */
import { isPlainType, type KnownRow } from './branch.ts';
import type { Implication, JoinedBy } from './implied.ts';
import type { ColumnFacts, Knowledge, TableFacts } from './knowledge.ts';
import { parseCondition } from './parse.ts';
import { areImpossible } from './prove.ts';
import type { Proposition } from './statement.ts';
import { ROW, type Token } from './tokens.ts';
import { isReadable, rename } from './tree.ts';

/** Every role and relationship asks for a proof: one gives up early. */
const MAX_STEPS = 400;

/** The row that facts are about; `{row}` is the joined one. */
const FIRST: Token = '#0';

/** True if the rule that is asked follows from the one that is known, for the joined rows. */
export function follows({ known, asked, join }: Implication): boolean {
  const [first, second] = [parseCondition(known), parseCondition(asked)];
  if (!isReadable(second)) return false;
  const ties = join.pairs.map(({ own, other }): Proposition => {
    const tokens = [FIRST, '.', own, '=', ROW, '.', other];
    return { condition: { kind: 'leaf', text: tokens.join(''), tokens }, is: 'true' };
  });
  const facts: Proposition[] = isReadable(first)
    ? [{ condition: rename(first, new Map([[ROW, FIRST]])), is: 'true' }]
    : [];
  const row: KnownRow = {
    alias: FIRST,
    source: [join.from ?? FIRST],
    unstored: join.from === undefined,
  };
  const negated: Proposition = { condition: second, is: 'not true' };
  return areImpossible([...ties, ...facts, negated], knowledgeOf(join), [row], MAX_STEPS);
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
