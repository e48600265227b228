/**
 * Finds the objects that a statement reads in its own text, so that none can be missing. Every name that this project
 * writes into SQL is quoted, so names are found by reading tokens; a pair of names is a column of an alias, a function
 * where an argument list follows, a type behind `::`, and otherwise a relation.
 */
import { REQUEST_ALIAS, RULE_ALIAS } from '../condition/rule.ts';

export interface ReadSet {
  /** Sorted by name. */
  readonly relations: readonly ReadRelation[];
  readonly functions: readonly QualifiedName[];
}

interface QualifiedName {
  readonly schema: string;
  readonly name: string;
}

interface ReadRelation extends QualifiedName {
  /** Columns that are named, sorted; undefined: whole rows. */
  readonly columns: readonly string[] | undefined;
}

/** Texts are skipped; a number, a word or a sign is one token. */
const TOKEN = /\bE'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"((?:[^"]|"")*)"|::|\w+|[^\s\w]/gs;

export type Token = { readonly name: string } | string;

const ALIAS = new RegExp(`${REQUEST_ALIAS}\\d+$|^${RULE_ALIAS}\\d+$|^_(?:cohort|result|hash)$`);

export function readSetOf(sql: string): ReadSet {
  const tokens = tokensOf(sql);
  const relations = new Map<string, QualifiedName & { columns: Set<string> | undefined }>();
  const functions = new Map<string, QualifiedName>();
  const aliases = new Map<string, Set<string>>();
  const uses: [alias: string, column: string | undefined][] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const first = tokens[index]!;
    if (typeof first === 'string') continue;
    const before = tokens[index - 1];
    const isSource = (before === 'from' && tokens[index - 2] !== 'distinct') || before === 'join';
    const second = tokens[index + 1] === '.' ? tokens[index + 2] : undefined;
    if (ALIAS.test(first.name) && !isSource) {
      // `as "note#1"` names it; `"note#1"` by itself or with `.*` is the whole row.
      if (before !== 'as') uses.push([first.name, typeof second === 'object' ? second.name : undefined]);
      if (second !== undefined) index += 2;
      continue;
    }
    if (typeof second !== 'object') continue;
    index += 2;
    const pair = { schema: first.name, name: second.name };
    const key = JSON.stringify([pair.schema, pair.name]);
    if (before === '::') continue;
    if (tokens[index + 1] === '(') {
      functions.set(key, pair);
      continue;
    }
    if (!relations.has(key)) relations.set(key, { ...pair, columns: new Set() });
    const alias = tokens[index + 1] === 'as' ? tokens[index + 2] : undefined;
    if (typeof alias === 'object')
      aliases.set(alias.name, (aliases.get(alias.name) ?? new Set<string>()).add(key));
    else relations.get(key)!.columns = undefined;
  }
  for (const [alias, column] of uses) {
    for (const key of aliases.get(alias) ?? []) {
      const relation = relations.get(key)!;
      if (column === undefined) relation.columns = undefined;
      else relation.columns?.add(column);
    }
  }
  return {
    relations: sorted(relations).map(({ columns, ...name }) => ({
      ...name,
      columns: columns && [...columns].sort(),
    })),
    functions: sorted(functions),
  };
}

/** Texts are all alike; words are in lower case. */
export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = [];
  for (const match of sql.matchAll(TOKEN)) {
    const name = match[1];
    if (name !== undefined) tokens.push({ name: name.replaceAll('""', '"') });
    else if (!match[0].endsWith("'")) tokens.push(match[0].toLowerCase());
    else tokens.push('text');
  }
  return tokens;
}

function sorted<Value>(byKey: ReadonlyMap<string, Value>): Value[] {
  return [...byKey].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, value]) => value);
}
