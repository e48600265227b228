/**
 * Finds the objects that a statement reads in its own text, so that none can be missing. Every name that this project
 * writes into SQL is quoted, so names are found by reading tokens; a pair of names is a column of an alias, a function
 * where an argument list follows, a type behind `::`, and otherwise a relation.
 */
import { REQUEST_ALIAS, RULE_ALIAS } from '../condition/rule.ts';
import { namesMoment } from './moments.ts';

export interface ReadSet {
  /** Sorted by name. */
  readonly relations: readonly ReadRelation[];
  readonly functions: readonly QualifiedName[];
  /** Keywords that are the time, and other words with an argument list behind them: functions without a schema. Sorted. */
  readonly words: readonly string[];
  /** A text that is read as another type than text means the moment at which it is read. */
  readonly hasMoment: boolean;
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
  const words = new Set<string>();
  let hasMoment = false;
  for (let index = 0; index < tokens.length; index += 1) {
    const first = tokens[index]!;
    const before = tokens[index - 1];
    if (first === MOMENT) hasMoment ||= tokens[index + 1] === '::' && !isText(tokens.slice(index + 2));
    else if (typeof first === 'string' && TIME_KEYWORDS.has(first)) words.add(first);
    else if (
      typeof first === 'string' &&
      before !== '::' &&
      tokens[index + 1] === '(' &&
      /^[a-z_]/.test(first)
    )
      words.add(first);
    if (typeof first === 'string') continue;
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
    words: [...words].sort(),
    hasMoment,
  };
}

/** Keywords that are the time. */
export const TIME_KEYWORDS: ReadonlySet<string> = new Set([
  ...['current_date', 'current_time', 'current_timestamp', 'localtime', 'localtimestamp'],
]);

/** A text that may mean a moment; other texts are all alike. */
const MOMENT = "'moment'";

/** Whether a cast to text, and no other behind it, follows. */
function isText([type, next]: readonly Token[]): boolean {
  return type === 'text' && next !== '::';
}

/** Texts are all alike, but for those that may mean a moment; words are in lower case. */
export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = [];
  for (const match of sql.matchAll(TOKEN)) {
    const name = match[1];
    if (name !== undefined) tokens.push({ name: name.replaceAll('""', '"') });
    else if (!match[0].endsWith("'")) tokens.push(match[0].toLowerCase());
    else tokens.push(namesMoment(match[0]) ? MOMENT : 'text');
  }
  return tokens;
}

function sorted<Value>(byKey: ReadonlyMap<string, Value>): Value[] {
  return [...byKey].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, value]) => value);
}
