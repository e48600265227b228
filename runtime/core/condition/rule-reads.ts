/** What a rule reads: of the row that it is about, and of other tables; and whether it depends on the time. */
import type { QualifiedName } from '../names.ts';
import { namesMoment } from '../sql/moments.ts';
import { nameOfToken } from './reads.ts';
import { isQuotedName, isString, ROW, readTokens, type Token, type Tokens } from './tokens.ts';
import type { Condition } from './tree.ts';

/** A column that has to equal a session variable. */
export interface SessionKey {
  readonly column: string;
  readonly variable: string;
  readonly type: string;
}

/** A table at one place. */
interface RuleTable extends QualifiedName {
  /** Columns that are named. */
  readonly columns: Set<string>;
  isWhole: boolean;
  /** None: any row of it is read. */
  readonly keys: readonly SessionKey[];
}

export interface RuleReads {
  readonly row: { readonly columns: Set<string>; isWhole: boolean };
  /** What every row has to equal that the rule holds for. */
  readonly keys: readonly SessionKey[];
  readonly tables: RuleTable[];
  readonly functions: QualifiedName[];
  /** Keywords that are the time, and other words with an argument list behind them: functions without a schema. */
  readonly words: Set<string>;
  /** A text is read as another type than text, and means the moment at which it is read. */
  hasMoment: boolean;
  /** Some of it cannot be read, and may be anything. */
  isUnknown: boolean;
}

/** Rows of which columns are named. */
type Rows = Pick<RuleTable, 'columns' | 'isWhole'>;

export function readsOfRule(condition: Condition): RuleReads {
  const row = { columns: new Set<string>(), isWhole: false };
  const reads: RuleReads = {
    row,
    keys: keysOf(condition, ROW),
    tables: [],
    functions: [],
    words: new Set(),
    hasMoment: false,
    isUnknown: false,
  };
  readCondition(condition, new Map([[ROW, row]]), reads);
  return reads;
}

function readCondition(condition: Condition, rows: ReadonlyMap<Token, Rows>, reads: RuleReads): void {
  switch (condition.kind) {
    case 'and':
    case 'or':
      for (const part of condition.parts) readCondition(part, rows, reads);
      break;
    case 'not':
      readCondition(condition.part, rows, reads);
      break;
    case 'guarded':
      readCondition(condition.when, rows, reads);
      readCondition(condition.part, rows, reads);
      break;
    case 'exists': {
      const inside = new Map(rows);
      for (const { alias, tokens } of condition.from) {
        const name = tokens?.length === 3 ? qualified(tokens, 0) : undefined;
        if (name) {
          const table = { ...name, columns: new Set<string>(), isWhole: false };
          inside.set(alias, table);
          reads.tables.push(Object.assign(table, { keys: keysOf(condition.where, alias) }));
        } else {
          inside.set(alias, { columns: new Set(), isWhole: false });
          noteTokens(tokens, inside, reads);
        }
      }
      for (const { on } of condition.from) if (on) readCondition(on, inside, reads);
      readCondition(condition.where, inside, reads);
      break;
    }
    case 'leaf':
      // A comparison that nothing follows from has names to be found all the same.
      noteTokens(condition.tokens ?? readTokens(condition.text), rows, reads);
  }
}

/** The session variables that columns of a row have to equal. */
function keysOf(condition: Condition, row: Token): readonly SessionKey[] {
  if (condition.kind === 'and') return condition.parts.flatMap((part) => keysOf(part, row));
  if (condition.kind !== 'leaf' || condition.tokens?.length !== 5) return [];
  const [name, dot, column, equals, value] = condition.tokens;
  const [, variable, type] = /^\{session\.([^{}:]+)::([^{}]+)\}$/.exec(value!) ?? [];
  const isKey = name === row && dot === '.' && isQuotedName(column) && equals === '=';
  // Arrays, and domains of them, which have several texts for one value, are compared by `operator(pg_catalog.=)`.
  if (!isKey || !variable || condition.text.includes('operator(')) return [];
  return [{ column: nameOfToken(column!), variable, type: type! }];
}

function noteTokens(tokens: Tokens | undefined, known: ReadonlyMap<Token, Rows>, reads: RuleReads): void {
  if (!tokens) {
    reads.isUnknown = true;
    return;
  }
  const rows = new Map(known);
  tokens.forEach((token, index) => {
    if (tokens[index - 1] === 'as' && isQuotedName(token))
      rows.set(token, { columns: new Set(), isWhole: false });
  });
  // Queries inside an expression name their columns before their tables.
  tokens.forEach((token, index) => {
    const name = qualified(tokens, index);
    if (!name || rows.has(token) || tokens[index - 1] === '::' || tokens[index - 1] === '.') return;
    if (tokens[index + 3] === '(') reads.functions.push(name);
    else {
      const hasAlias = tokens[index + 3] === 'as' && isQuotedName(tokens[index + 4]);
      const table = { ...name, columns: new Set<string>(), isWhole: !hasAlias, keys: [] };
      if (hasAlias) rows.set(tokens[index + 4]!, table);
      reads.tables.push(table);
    }
  });
  tokens.forEach((token, index) => {
    const [before, next, behind] = [tokens[index - 1], tokens[index + 1], tokens[index + 2]];
    const of = before === '.' || before === 'as' ? undefined : rows.get(token);
    if (of && next === '.' && isQuotedName(behind)) of.columns.add(nameOfToken(behind!));
    else if (of) of.isWhole = true;
    else if (isString(token) && namesMoment(token))
      reads.hasMoment ||= next === '::' && !(behind === 'text' && tokens[index + 3] !== '::');
    else if (TIME_KEYWORDS.has(token)) reads.words.add(token);
    else if (next === '(' && before !== '::' && /^[\p{L}_]/u.test(token) && !isString(token))
      reads.words.add(token);
  });
}

/** The name that begins at a token: `"public"."ticket"`. */
function qualified(tokens: Tokens, index: number): QualifiedName | undefined {
  const [schema, dot, name] = [tokens[index], tokens[index + 1], tokens[index + 2]];
  if (dot !== '.' || !isQuotedName(schema) || !isQuotedName(name)) return undefined;
  return { schema: nameOfToken(schema!), name: nameOfToken(name!) };
}

/** Keywords that are the time. */
export const TIME_KEYWORDS: ReadonlySet<string> = new Set([
  ...['current_date', 'current_time', 'current_timestamp', 'localtime', 'localtimestamp'],
]);
