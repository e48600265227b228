/** Names in the body of a function in PL/pgSQL, read by PostgreSQL's own grammars: of the language, and of each statement in it. */
import type { BodyNames } from './sql-body.ts';

interface Expression {
  readonly query: string;
  /** RawParseMode: 0 a statement, 2 an expression, from 3 on an assignment with so many names less two on its left. */
  readonly parseMode: number;
}

/**
 * The names in the tree of a `create function`; undefined if the grammar of SQL does not have one of its statements.
 * @param readBody reads a statement
 */
export function namesInProcedure(
  tree: unknown,
  readBody: (sql: string) => BodyNames | undefined,
): BodyNames | undefined {
  const parts: (BodyNames | undefined)[] = [];
  const types = new Set<string>();
  let isOpaque = false;
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [kind, value] of Object.entries(node)) {
      if (kind === 'PLpgSQL_stmt_dynexecute' || kind === 'PLpgSQL_stmt_dynfors' || kind === 'dynquery')
        isOpaque = true;
      if (kind === 'PLpgSQL_expr') parts.push(readBody(statementOf(value)));
      else if (kind === 'typname' && typeof value === 'string')
        for (const [word, quoted] of value.matchAll(/"([^"]+)"|[^\s".(),[\]%]+/g)) types.add(quoted ?? word);
      else visit(value);
    }
  };
  visit(tree);
  const known = parts.filter((part) => part !== undefined);
  if (known.length < parts.length) return undefined;
  const union = (key: 'columns' | 'functions' | 'types') => new Set(known.flatMap((part) => [...part[key]]));
  return {
    relations: known.flatMap(({ relations }) => relations),
    columns: union('columns'),
    wholes: 'all',
    functions: union('functions'),
    types: new Set([...union('types'), ...types]),
    isOpaque: isOpaque || known.some((part) => part.isOpaque),
  };
}

/** The text as a statement. What an assignment has on its left is an expression as well: it may be `list[position()]`. */
function statementOf({ query, parseMode }: Expression): string {
  if (parseMode === 0) return query;
  return parseMode === 2 ? `select ${query}` : `select ${query.replace(/:?=/, ', ')}`;
}
