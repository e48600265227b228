/** Texts of URLs as values of variables, by their declared types. */

import { EngineError } from '../../core/errors.ts';
import { parseExactJson, TooDeep } from '../../core/json/exact-json.ts';
import { jsonProblem } from '../../core/reasons.ts';
import type { SavedOperation, SavedVariable } from '../../core/saved/saved.ts';
import { jsonKind } from '../../core/types.ts';

/** Values of a REST request, one map per place; later places win. */
export interface GivenVariables {
  /** All texts of a name, in the order in which they were given. */
  readonly query: ReadonlyMap<string, readonly string[]>;
  /** Passed on as they are. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly path: ReadonlyMap<string, string>;
}

/**
 * The variables of an operation. Absent ones stay absent.
 * @throws EngineError bad-request for an undeclared variable, or a text that does not fit its type
 */
export function restVariables(operation: SavedOperation, given: GivenVariables): Record<string, unknown> {
  // Without a prototype: a variable may be called __proto__.
  const values: Record<string, unknown> = Object.create(null);
  const declared = (name: string): SavedVariable => {
    const { variables } = operation;
    if (variables && Object.hasOwn(variables, name)) return variables[name]!;
    throw new EngineError('bad-request', `Unexpected variable ${name}`);
  };
  const readTexts = (name: string, texts: readonly string[]) => {
    const value = readVariable(name, declared(name), texts);
    if (value !== undefined) values[name] = value;
  };
  for (const [name, texts] of given.query) readTexts(name, texts);
  for (const [name, value] of Object.entries(given.body)) {
    declared(name);
    values[name] = value;
  }
  for (const [name, text] of given.path) readTexts(name, [text]);
  return values;
}

/** Numbers by the specification, and those of PostgreSQL that JSON can write. */
const NUMBER_TYPES: ReadonlySet<string> = new Set(['Int', 'Float', 'Number', 'Double', 'float8', 'numeric']);
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Values of PostgreSQL's types that are no JSON numbers: a body has them as strings. */
const SPECIAL_NUMBER = /^(?:NaN|-?Infinity)$/;
/** Scalars whose values are any JSON: those of PostgreSQL, and the usual names in actions and remote schemas. */
const JSON_TYPES: ReadonlySet<string> = new Set(['json', 'jsonb', 'JSON', 'JSONObject']);

/** undefined: as if the variable were absent. */
function readVariable(name: string, { type, input }: SavedVariable, texts: readonly string[]): unknown {
  const refuse = (text: string, needed = ''): never => {
    throw new EngineError(
      'bad-request',
      `variable type error: the variable "${name}" is declared as ${type}, which the value ${JSON.stringify(text)} does not fit${needed}`,
    );
  };
  const parse = (text: string): unknown => {
    try {
      return parseExactJson(text);
    } catch (error) {
      const problem = error instanceof TooDeep ? error.message : jsonProblem(text);
      return refuse(text, `: it is read as JSON (${problem})`);
    }
  };
  const read = (type: string, texts: readonly string[]): unknown => {
    const nullable = !type.endsWith('!');
    const bare = nullable ? type : type.slice(0, -1);
    // Of a variable that is no list the last text counts.
    const text = texts.at(-1)!;
    if (bare.startsWith('[')) {
      if (texts.length === 1 && text === '' && nullable) return undefined;
      if (texts.length === 1 && text.startsWith('[')) return parse(text);
      return texts.map((each) => read(bare.slice(1, -1), [each]) ?? null);
    }
    if (bare === 'Boolean') {
      if (text === 'true' || text === '') return true;
      return text === 'false' ? false : refuse(text);
    }
    if (text === '' && nullable) return undefined;
    if (input) {
      const value = parse(text);
      return value === null || jsonKind(value) === 'Object' ? value : refuse(text, ': it is a JSON object');
    }
    if (JSON_TYPES.has(bare)) return parse(text);
    if (!NUMBER_TYPES.has(bare)) return text;
    if (SPECIAL_NUMBER.test(text) && bare !== 'Int') return text;
    if (!JSON_NUMBER.test(text) || (bare === 'Int' && !Number.isInteger(Number(text)))) return refuse(text);
    return parse(text);
  };
  return read(type, texts);
}
