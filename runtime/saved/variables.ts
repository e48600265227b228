/** Texts of URLs as values of variables, by their declared types. */

import { EngineError } from '../core/errors.ts';
import { isPrintedAgain } from '../core/json/decimal.ts';
import type { SavedOperation, SavedVariable } from '../core/saved.ts';
import { NumberText } from '../core/types.ts';

/** Values of a REST request, one map per place; later places win. */
export interface GivenVariables {
  readonly query: ReadonlyMap<string, string>;
  /** Passed on as they are. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly path: ReadonlyMap<string, string>;
}

/**
 * The variables of an operation. Absent ones stay absent.
 * @throws EngineError bad-request for an undeclared variable, or a text that does not fit its type
 */
export function restVariables(operation: SavedOperation, given: GivenVariables): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const declared = (name: string): SavedVariable => {
    const { variables } = operation;
    if (variables && Object.hasOwn(variables, name)) return variables[name]!;
    throw new EngineError('bad-request', `Unexpected variable ${name}`);
  };
  const readTexts = (texts: ReadonlyMap<string, string>) => {
    for (const [name, text] of texts) {
      const value = readText(name, declared(name), text);
      if (value !== undefined) values[name] = value;
    }
  };
  readTexts(given.query);
  for (const [name, value] of Object.entries(given.body)) {
    declared(name);
    values[name] = value;
  }
  readTexts(given.path);
  return values;
}

const NUMBER_TYPES: ReadonlySet<string> = new Set(['Int', 'Float', 'Number', 'Double', 'float8', 'numeric']);
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const INTEGER = /^-?(?:0|[1-9]\d*)$/;

/** undefined: as if the variable were absent. */
function readText(name: string, { type, input }: SavedVariable, text: string): unknown {
  const nullable = !type.endsWith('!');
  const base = type.replace(/!$/, '');
  if (base.startsWith('[')) {
    throw new EngineError(
      'bad-request',
      `List variables are not currently supported in URL or Query parameters. (Variable ${name}, with value ${JSON.stringify(text)})`,
    );
  }
  const refuse = (): never => {
    throw new EngineError(
      'bad-request',
      `variable type error: the variable "${name}" is declared as ${type}, which the value ${JSON.stringify(text)} does not fit`,
    );
  };
  if (base === 'Boolean') {
    if (text === 'true' || text === '') return true;
    return text === 'false' ? false : refuse();
  }
  if (text === '' && nullable) return undefined;
  if (input) return refuse();
  if (!NUMBER_TYPES.has(base)) return text;
  if (!(base === 'Int' ? INTEGER : JSON_NUMBER).test(text)) return refuse();
  return isPrintedAgain(text, 0, text.length) ? Number(text) : new NumberText(text);
}
