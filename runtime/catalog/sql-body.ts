/**
 * Names in the body of a function in SQL, read by PostgreSQL's own grammar. They are looked up by name alone, whatever the
 * scope or the search path: more is said to be read than is, never less.
 */

import { namesInProcedure } from './plpgsql-body.ts';

/** What a body mentions. */
export interface BodyNames {
  /** Tables and views; what shares a name with one of its WITH queries, too. */
  readonly relations: readonly RelationName[];
  /** Everything that may be a column, or a function in the notation of one. */
  readonly columns: ReadonlySet<string>;
  /** Relations, by name or alias, of which all columns are mentioned; `'all'`: of each. Arguments are `$1`, or their names. */
  readonly wholes: ReadonlySet<string> | 'all';
  /** Functions, and operators. */
  readonly functions: ReadonlySet<string>;
  /** Types of casts and columns. */
  readonly types: ReadonlySet<string>;
  /** The rows of this relation are the result, as they are; it is in `wholes` only where all its columns are mentioned elsewhere. */
  readonly shows?: RelationName;
  /** It runs a text that another statement prepares. */
  readonly isOpaque: boolean;
}

interface RelationName {
  readonly schema?: string;
  readonly name: string;
  readonly alias?: string;
}

/**
 * The names in a body; undefined if it is not a text that the grammar has.
 * @param language `plpgsql`: the body is the whole `create function …`
 */
export type ReadBody = (body: string, language?: 'plpgsql') => BodyNames | undefined;

/** Loads the grammar of PostgreSQL 18, 2 MB that few processes need. */
export async function loadReadBody(): Promise<ReadBody> {
  const { loadModule, parsePlPgSQLSync, parseSync } = await import('libpg-query');
  await loadModule();
  const readSql = (body: string) => namesIn(parseSync(body) as Json);
  return (body, language) => {
    try {
      return language === 'plpgsql' ? namesInProcedure(parsePlPgSQLSync(body), readSql) : readSql(body);
    } catch {
      return undefined;
    }
  };
}

/** A syntax tree: each node is an object with one key, its kind, or is where only one kind may be. */
type Json = null | boolean | number | string | readonly Json[] | Tree;
interface Tree {
  readonly [key: string]: Json;
}

/** Statements whose effect is a text. */
const OPAQUE_NODES: ReadonlySet<string> = new Set([
  'DoStmt',
  'ExecuteStmt',
  'PrepareStmt',
  'CopyStmt',
  'CreateFunctionStmt',
]);

function namesIn(parsed: Json): BodyNames {
  const relations: RelationName[] = [];
  const columns = new Set<string>();
  const functions = new Set<string>();
  const types = new Set<string>();
  const wholes = new Set<string>();
  const shown = shownRows(parsed);
  let isAll = false;
  let isOpaque = false;
  const visit = (node: Json): void => {
    if (typeof node !== 'object' || node === null || node === shown?.star) return;
    if (Array.isArray(node)) {
      for (const item of node) visit(item);
      return;
    }
    const tree = node as Tree;
    if (typeof tree.relname === 'string') {
      const relation = relationOf(tree);
      relations.push(relation);
      // Columns with other names.
      if ((tree.alias as Tree | undefined)?.colnames) wholes.add(relation.alias!);
    }
    for (const [kind, value] of Object.entries(tree)) {
      const part = value as Tree;
      if (OPAQUE_NODES.has(kind)) isOpaque = true;
      if (kind === 'ColumnRef') {
        const fields = part.fields as readonly Tree[];
        const names = fields.map(stringOf);
        for (const name of names) if (name !== undefined) columns.add(name);
        const last = names.at(-1);
        // A name alone, before a star, or after the name of the function, may be a whole row.
        if (last === undefined && names.length === 1) isAll = true;
        else wholes.add(last ?? names.at(-2)!);
      } else if (kind === 'ParamRef') wholes.add(`$${part.number as number}`);
      else if (kind === 'A_Indirection') {
        const [first] = part.indirection as readonly Tree[];
        const name = first && stringOf(first);
        const param = (part.arg as Tree).ParamRef as Tree | undefined;
        for (const each of part.indirection as readonly Tree[]) {
          const field = stringOf(each);
          if (field !== undefined) columns.add(field);
        }
        // A field of an argument: the argument is not looked at as a whole.
        if (param && name !== undefined) continue;
      } else if (kind === 'JoinExpr') {
        if (part.isNatural) isAll = true;
        for (const each of (part.usingClause ?? []) as readonly Tree[]) columns.add(stringOf(each)!);
        // A star or a row of a join is one of all that is joined.
        const alias = aliasOf(part) ?? aliasOf({ alias: part.join_using_alias ?? null });
        if (alias !== undefined) isAll = true;
      } else if (kind === 'FuncCall' || kind === 'funccall') {
        const name = stringOf((part.funcname as readonly Tree[]).at(-1)!)!;
        functions.add(name);
        // name(row) is row.name.
        columns.add(name);
      } else if (kind === 'A_Expr') functions.add(stringOf((part.name as readonly Tree[]).at(-1)!)!);
      else if (kind === 'typeName') types.add(stringOf((part.names as readonly Tree[]).at(-1)!)!);
      else if (kind === 'operName' || kind === 'useOp')
        functions.add(stringOf((value as readonly Tree[]).at(-1)!)!);
      visit(value);
    }
  };
  visit(parsed);
  return {
    relations,
    columns,
    wholes: isAll ? 'all' : wholes,
    functions,
    types,
    ...(shown && { shows: shown.relation }),
    isOpaque,
  };
}

/** `select * from t …` or `select t.* from t …`, alone: the star, and the relation. */
function shownRows(parsed: Json): { readonly star: Json; readonly relation: RelationName } | undefined {
  const statements = (parsed as Tree).stmts as readonly Tree[] | undefined;
  const [only, more] = statements ?? [];
  const select = (only?.stmt as Tree | undefined)?.SelectStmt as Tree | undefined;
  if (!select || more || select.op !== 'SETOP_NONE' || select.withClause || !select.fromClause)
    return undefined;
  const [target, other] = (select.targetList ?? []) as readonly Tree[];
  const star = ((target?.ResTarget as Tree | undefined)?.val as Tree | undefined) ?? null;
  const fields = ((star?.ColumnRef as Tree | undefined)?.fields ?? []) as readonly Tree[];
  if (!star || other || !fields.at(-1)?.A_Star) return undefined;
  const from = select.fromClause as readonly Tree[];
  const [single, second] = from;
  const own = single?.RangeVar as Tree | undefined;
  if (fields.length === 1) return own && !second ? { star, relation: relationOf(own) } : undefined;
  const name = fields.length === 2 ? stringOf(fields[0]!) : undefined;
  const found = from.flatMap(rangeVars).filter((each) => (each.alias ?? each.name) === name);
  return found.length === 1 ? { star, relation: found[0]! } : undefined;
}

/** Tables of a FROM item, below joins. */
function rangeVars(item: Tree): RelationName[] {
  if (item.RangeVar) return [relationOf(item.RangeVar as Tree)];
  const join = item.JoinExpr as Tree | undefined;
  return join ? [join.larg, join.rarg].flatMap((each) => (each ? rangeVars(each as Tree) : [])) : [];
}

function relationOf(tree: Tree): RelationName {
  const alias = aliasOf(tree);
  return {
    name: tree.relname as string,
    ...(typeof tree.schemaname === 'string' && { schema: tree.schemaname }),
    ...(alias !== undefined && { alias }),
  };
}

function aliasOf(tree: Tree): string | undefined {
  return (tree.alias as Tree | null | undefined)?.aliasname as string | undefined;
}

function stringOf(tree: Tree): string | undefined {
  return (tree.String as Tree | undefined)?.sval as string | undefined;
}
