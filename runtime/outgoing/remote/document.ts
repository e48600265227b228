/** Builds requests to a remote schema from planned pieces: the text of the operation and the values of its variables. */

import { EngineError, stepsOf } from '../../core/errors.ts';
import { BUILT_IN_SCALARS } from '../../core/names.ts';
import { remember } from '../../core/remember.ts';
import type { RemoteJoinPart } from '../../core/remotes/relationship.ts';
import type { RemoteRootPart } from '../../core/remotes/remote-root.ts';
import {
  aliased,
  type RemoteKey,
  type RemoteText,
  type RemoteVariable,
  type SessionCoercion,
} from '../../core/remotes/text.ts';
import { sourceValue } from '../../core/request/bind.ts';
import type { Session } from '../../core/session.ts';
import { jsonText } from '../../core/types.ts';
import type { Vocabulary } from '../../core/vocabulary.ts';

/** The document that is sent. */
export interface RemoteRequest {
  readonly query: string;
  /** JSON texts by name. */
  readonly variables: ReadonlyMap<string, string>;
}

interface Values {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly session: Session;
}

/** Names the variables of a text while it is built. Equal values at places of one type share a variable. */
class Document {
  readonly variables = new Map<string, string>();
  readonly #types: string[] = [];
  readonly #names = new Map<string, string>();
  readonly #values: Values;

  constructor(values: Values) {
    this.#values = values;
  }

  /** @param key makes the text of a value of the left side */
  text(parts: RemoteText, key: (key: RemoteKey) => string = noKey): string {
    let text = '';
    for (const part of parts) {
      if (typeof part === 'string') text += part;
      else if ('key' in part) text += key(part);
      else text += part.isSpread ? this.#items(part) : `$${this.#variable(part)}`;
    }
    return text;
  }

  /** Adds a variable with a value of its own. @returns its name */
  add(hint: string, type: string, value: string): string {
    let name = hint;
    for (let count = 2; this.variables.has(name); count += 1) name = `${hint}_${count}`;
    this.variables.set(name, value);
    this.#types.push(`$${name}: ${type}`);
    return name;
  }

  /** `($a: Int, $b: ID!)`, or nothing. */
  get declarations(): string {
    return this.#types.length > 0 ? `(${this.#types.join(', ')})` : '';
  }

  /** A list's items, each with a comma. */
  #items({ type, source }: RemoteVariable): string {
    const value = sourceValue(source, this.#values.variables);
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    return items
      .map((item, index) => {
        const identity = JSON.stringify([type, source, index]);
        return `$${this.#named(identity, `${hintOf(source, this.#values.session.vocabulary)}_${index}`, type, () => jsonText(item))}, `;
      })
      .join('');
  }

  #variable({ type, source, coerce }: RemoteVariable): string {
    const { variables, session } = this.#values;
    return this.#named(
      JSON.stringify([type, source]),
      hintOf(source, this.#values.session.vocabulary),
      type,
      () =>
        source.from === 'session'
          ? sessionValue(session, source.name, coerce ?? 'String')
          : jsonText(sourceValue(source, variables)),
    );
  }

  /** The name of the variable with the identity, which is added at its first use. */
  #named(identity: string, hint: string, type: string, value: () => string): string {
    return remember(this.#names, identity, () => this.add(hint, type, value()));
  }
}

function hintOf(source: RemoteVariable['source'], vocabulary: Vocabulary): string {
  if (source.from === 'session') return vocabulary.fromCanonical(source.name).replace(/\W/g, '_');
  return source.from === 'variable' ? [source.name, ...stepsOf(source.path)].join('_') : 'value';
}

function noKey(): string {
  throw new Error('a root field has no left side');
}

/** A session variable as JSON. @throws EngineError not-found, or coercion-error */
function sessionValue({ variables, vocabulary }: Session, name: string, coerce: SessionCoercion): string {
  const text = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (text === undefined)
    throw new EngineError(
      'not-found',
      `"${vocabulary.fromCanonical(name)}" session variable expected, but not found`,
    );
  const refused = (expected: string) =>
    new EngineError('coercion-error', `${JSON.stringify(text)} ${expected}`);
  if (typeof coerce === 'object') {
    if (coerce.enum.includes(text)) return JSON.stringify(text);
    throw refused(
      /^[_A-Za-z]\w*$/.test(text) ? 'is not one of the valid enum values' : 'is not a valid GraphQL name',
    );
  }
  switch (coerce) {
    case 'Int':
      if (/^-?(?:0|[1-9]\d*)$/.test(text)) return text;
      throw refused('cannot be coerced into an Int value');
    case 'Float':
      if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return text;
      throw refused('cannot be coerced into a Float value');
    case 'Boolean':
      if (text === 'true' || text === 'false') return text;
      throw refused('cannot be coerced into a Boolean value');
    case 'String':
      return JSON.stringify(text);
  }
}

/** Root fields as one operation; `aliases` are their keys in the answer, in order. */
export function rootRequest(
  parts: readonly RemoteRootPart[],
  operation: 'query' | 'mutation',
  name: string | undefined,
  values: Values,
): RemoteRequest & { readonly aliases: readonly string[] } {
  const document = new Document(values);
  const taken = new Set<string>();
  const aliases = parts.map(({ responseName }) => {
    let alias = responseName;
    for (let count = 2; taken.has(alias); count += 1) alias = `${responseName}_${count}`;
    taken.add(alias);
    return alias;
  });
  const fields = parts.map(({ text }, index) => {
    const [first, ...rest] = text as [string, ...RemoteText];
    // The text begins with the name of the field.
    const [field = ''] = /^\w+/.exec(first) ?? [];
    return `${aliased(aliases[index]!, field)}${first.slice(field.length)}${document.text(rest)}`;
  });
  const head = `${operation} ${name ?? ''}${document.declarations}`;
  return { query: `${head} { ${fields.join(' ')} }`, variables: document.variables, aliases };
}

/** One field of a request that answers joins. */
interface JoinEntry {
  readonly part: RemoteJoinPart;
  readonly tuple: readonly string[];
}

/** Maximum number of tuples whose values are written into the text, where remotes show them in their errors. */
const MAX_LITERALS = 20;

/** JSON has escapes that documents do not have. */
const LONE_SURROGATE = /\\u[dD][89a-fA-F]/;

/**
 * Looks up tuples as aliases `f0`, `f1` … of one query. Values of built-in scalars are literals while there are few of them;
 * otherwise they are variables, so that the text is the same for every set of as many tuples.
 */
export function joinRequest(entries: readonly JoinEntry[], values: Values): RemoteRequest {
  const document = new Document(values);
  const isFew = entries.length <= MAX_LITERALS;
  const fields = entries.map(({ part, tuple }, alias) => {
    const key = ({ key: index, type, read }: RemoteKey) => {
      const value = read(tuple[index]!);
      if (value === undefined) throw new Error(`a value does not fit its argument of type ${type}`);
      return isFew && BUILT_IN_SCALARS.has(type.replace(/[[\]!]/g, '')) && !LONE_SURROGATE.test(value)
        ? value
        : `$${document.add(`f${alias}_${index}`, type, value)}`;
    };
    return `f${alias}: ${document.text(part.text, key)}`;
  });
  const { declarations } = document;
  return { query: `query ${declarations} { ${fields.join(' ')} }`, variables: document.variables };
}

/** The body of the call. */
export function requestBody({ query, variables }: RemoteRequest, operationName?: string): string {
  const members = [...variables].map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  const named = operationName === undefined ? '' : `,"operationName":${JSON.stringify(operationName)}`;
  const given = members.length > 0 ? `,"variables":{${members.join(',')}}` : '';
  return `{"query":${JSON.stringify(query)}${given}${named}}`;
}
