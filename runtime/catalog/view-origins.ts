/**
 * Where the columns of a view come from, and whether it has an order. Postgres notes the origins itself, for every column of
 * the result that shows a column of a table, unchanged, through however many joins and subqueries: `resorigtbl` and
 * `resorigcol` in the parsed query, which pg_rewrite keeps as text. That text is a tree of nodes in braces; in tokens, special
 * characters follow a backslash.
 */

/** Attribute number of the view → the relation (OID) and attribute number that the column shows. */
export type ViewOrigins = ReadonlyMap<number, { readonly relation: number; readonly position: number }>;

const token = String.raw`(?:\\.|[^\s\\])+`;
const landmarks = new RegExp(
  String.raw`\\.|[{}]|:resno (\d+) :resname ${token} :ressortgroupref \d+ :resorigtbl (\d+) :resorigcol (\d+) :resjunk false`,
  'gs',
);

/**
 * Reads the origins from the text of a view's query (pg_rewrite.ev_action). The entries of the view's own target list
 * are the ones exactly two braces deep; deeper ones belong to subqueries. A column that may be null where its table has no
 * matching row (outer join) counts as unchanged too: that is how Postgres sees it.
 */
export function readViewOrigins(query: string): ViewOrigins {
  const origins = new Map<number, { readonly relation: number; readonly position: number }>();
  let depth = 0;
  for (const [text, position, relation, origin] of query.matchAll(landmarks)) {
    if (text === '{') depth += 1;
    else if (text === '}') depth -= 1;
    else if (depth === 2 && relation !== undefined && relation !== '0')
      origins.set(Number(position), { relation: Number(relation), position: Number(origin) });
  }
  return origins;
}

const clauses = /\\.|[{}]|:sortClause \(|:rtekind [35] |:fromlist \(\{RANGETBLREF :rtindex \d+\}\)/gs;

/**
 * Whether a view gives its rows in an order, from the text of its query: `own` by an ORDER BY, or because all that it reads is a
 * subquery with one, a function (3) or VALUES (5); `of the view below`, if that has one. Windows and aggregates name their
 * orders otherwise.
 */
export function readViewOrder(query: string): 'own' | 'of the view below' | undefined {
  let depth = 0;
  let [isSorted, isBelow, isAlone] = [false, false, false];
  for (const [text] of query.matchAll(clauses)) {
    if (text.startsWith(':sortClause')) {
      if (depth === 1) isSorted = true;
      else isBelow = true;
    } else if (text.startsWith(':rtekind')) isBelow ||= depth === 2;
    else if (text.startsWith(':fromlist')) isAlone ||= depth === 2;
    else if (text === '{') depth += 1;
    else if (text === '}') depth -= 1;
  }
  if (isSorted || (isAlone && isBelow)) return 'own';
  return isAlone ? 'of the view below' : undefined;
}
