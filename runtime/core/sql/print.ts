/** The printer: fragments become text with placeholders, or text with holes for files of saved operations. */
import { ruleNodes } from '../condition/rule-nodes.ts';
import { EngineError } from '../errors.ts';
import { remember } from '../remember.ts';
import { type Encoding, eachPart, type ParameterNode, type Sql, type SqlNode } from './fragment.ts';
import { Lines } from './layout.ts';
import { meaningOf } from './statement.ts';

/** A statement ready for Postgres: `$1`-style text and what each parameter is. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly ParameterNode[];
  /** The tables that it writes, as `"schema"."name"`; absent: none. */
  readonly writes?: readonly string[];
  /** What was printed, for those who save it or change it; absent otherwise. */
  readonly tree?: Sql;
}

/** Maximum number of parameters of a statement in PostgreSQL's protocol. */
const MAX_PARAMETERS = 65_535;

/**
 * Prints a statement. A variable or session variable that occurs several times with one type and encoding is one
 * parameter, so it is sent once; constants are numbered one by one, so that the text does not depend on whether two values are equal.
 * @param keeps the statement is to be saved or changed, so its tree is kept
 * @throws EngineError when there are more than PostgreSQL takes
 */
export function print(fragment: Sql, keeps = false): Statement {
  const parameters: ParameterNode[] = [];
  const text = printInto(fragment, parameters, (position) => `$${position}`);
  if (parameters.length > MAX_PARAMETERS)
    throw new EngineError(
      'validation-failed',
      `the operation has ${parameters.length} separate values, where PostgreSQL takes at most ${MAX_PARAMETERS}`,
    );
  return { text, parameters, ...(keeps && { tree: fragment }) };
}

/** Equal for parameters that are sent once: a constant that one fragment holds, wherever that is printed. */
function keyOf({ source, type, encoding }: ParameterNode): unknown {
  if (source.from === 'constant') return source;
  // Lists and places in values are long, and one object wherever they are printed.
  if ('items' in source || 'fields' in source || ('path' in source && source.path !== '')) return source;
  return JSON.stringify([source, type, wayOf(encoding)]);
}

function isSame(left: ParameterNode, right: ParameterNode): boolean {
  return left.type === right.type && wayOf(left.encoding) === wayOf(right.encoding);
}

/** Distinguishes encodings of one source as one SQL type. */
function wayOf(encoding: Encoding | undefined): string | undefined {
  return encoding?.as === 'part' ? `part ${encoding.part}` : encoding?.as;
}

/**
 * Prints a fragment as part of a statement that gets its values in another way.
 * @param parameters gets the parameters, in order; parameters that are there already keep their positions
 * @param place SQL of a parameter; positions count from 1
 */
export function printInto(
  fragment: Sql,
  parameters: ParameterNode[],
  place: (position: number) => string,
): string {
  return printerInto(parameters, place)(fragment);
}

/** `printInto` for several fragments: what the parameters are is looked up once. */
function printerInto(
  parameters: ParameterNode[],
  place: (position: number) => string,
): (fragment: Sql) => string {
  const numbers = new Map<unknown, number[]>();
  const numbersOf = (node: ParameterNode) => remember(numbers, keyOf(node), () => []);
  for (const [index, node] of parameters.entries()) numbersOf(node).push(index + 1);
  const placed = (node: ParameterNode) => {
    const known = numbersOf(node);
    let number = known.find((each) => isSame(node, parameters[each - 1]!));
    if (number === undefined) {
      number = parameters.push(node);
      known.push(number);
    }
    return `(${place(number)})::${node.type}`;
  };
  return (fragment) => printed(fragment, placed);
}

/** The position of a parameter among those that were printed, counted from 0; undefined if it is not one of them. */
export function positionOf(node: ParameterNode, parameters: readonly ParameterNode[]): number | undefined {
  const key = keyOf(node);
  const position = parameters.findIndex(
    (each) => each === node || (keyOf(each) === key && isSame(each, node)),
  );
  return position < 0 ? undefined : position;
}

/** Prints parts of a statement, or of other forms of it, that was printed with these parameters. */
export function partPrinter(parameters: readonly ParameterNode[]): (fragment: Sql) => string {
  return printerInto([...parameters], (position) => `$${position}`);
}

/**
 * Prints a fragment over several lines, for the file of a saved operation. Rules, which are texts, are printed from the nodes they are read as.
 * @param parameter SQL of a parameter
 */
export function printSaved(fragment: Sql, parameter: (node: ParameterNode) => string): string {
  const lines = new Lines();
  const add = (part: string | SqlNode | Sql): void => {
    if (typeof part === 'string') lines.add(withDoubledBraces(part));
    else if ('nodes' in part) {
      const meaning = meaningOf(part);
      if (meaning?.kind === 'hole') lines.add(`{${meaning.text}}`);
      else eachPart(meaning?.kind === 'rule' ? ruleNodes(meaning, part) : part, add);
    } else if (part.kind === 'text') lines.add(withDoubledBraces(part.text), part.layout);
    else lines.add(parameter(parameterOf(part)));
  };
  add(fragment);
  return lines.text();
}

function withDoubledBraces(text: string): string {
  return text.replaceAll('{', '{{').replaceAll('}', '}}');
}

function printed(fragment: Sql, parameter: (node: ParameterNode) => string): string {
  const texts: string[] = [];
  const add = (part: string | SqlNode | Sql): void => {
    if (typeof part === 'string') texts.push(part);
    else if ('nodes' in part) eachPart(part, add);
    else texts.push(part.kind === 'text' ? part.text : parameter(parameterOf(part)));
  };
  add(fragment);
  // Joined at once: text that is added bit by bit keeps every bit in memory.
  return texts.join('');
}

function parameterOf(node: Exclude<SqlNode, { kind: 'text' }>): ParameterNode {
  if (node.kind === 'row') throw new Error('a rule reached the printer without a row');
  return node;
}
