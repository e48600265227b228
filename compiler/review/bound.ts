/**
 * By which session variables a rule ties its rows: every row that it lets through equals the variable in some column, or leads
 * by joins to a row that does. What is not seen to tie counts as not tied.
 */

import { parseCondition } from '../../runtime/core/condition/parse.ts';
import { ROW, type Token, type Tokens } from '../../runtime/core/condition/tokens.ts';
import {
  allOf,
  type Condition,
  conditionsOf,
  type Exists,
  type Leaf,
} from '../../runtime/core/condition/tree.ts';
import { EVERY_ROW, type RuleText, type TableShape } from '../../runtime/core/contract/shapes.ts';

type Variables = ReadonlySet<string>;
const NONE: Variables = new Set();

/** Variables in lower case, such as `x-engine-tenant-id`. */
export function variablesBinding(rule: RuleText | undefined): Variables {
  return rule === undefined || rule === EVERY_ROW ? NONE : bound(parseCondition(rule), ofLeaf, ofExists);
}

/**
 * Variables by which a condition on a row ties the row of another table that some of its columns refer to. Where these are
 * null, there is no such row.
 */
export function variablesBindingReference(rule: RuleText | undefined, columns: readonly string[]): Variables {
  if (rule === undefined || rule === EVERY_ROW) return NONE;
  const quoted = columns.map((name) => `"${name.replaceAll('"', '""')}"`);
  const names = (tokens: Tokens | undefined) =>
    tokens?.some(
      (token, index) => token === ROW && tokens[index + 1] === '.' && quoted.includes(tokens[index + 2]!),
    ) ?? false;
  return bound(
    parseCondition(rule),
    (leaf) => (names(leaf.tokens) ? ofLeaf(leaf) : NONE),
    (exists) =>
      conditionsOf(exists).some((part) => part.kind === 'leaf' && names(part.tokens))
        ? ofExists(exists)
        : NONE,
    (part) => part.kind === 'leaf' && isNull(part.tokens) && names(part.tokens),
  );
}

/** @param isVoid branches of an `or` that count for nothing */
function bound(
  condition: Condition,
  leaf: (part: Leaf) => Variables,
  exists: (part: Exists) => Variables,
  isVoid: (part: Condition) => boolean = () => false,
): Variables {
  const look = (part: Condition): Variables => {
    switch (part.kind) {
      case 'and':
        return new Set(part.parts.flatMap((each) => [...look(each)]));
      case 'or': {
        const [first = NONE, ...others] = part.parts.filter((each) => !isVoid(each)).map(look);
        return new Set([...first].filter((name) => others.every((each) => each.has(name))));
      }
      case 'guarded':
        return new Set([...look(part.when), ...look(part.part)]);
      case 'not':
        return look(negated(part.part) ?? { kind: 'or', parts: [] });
      case 'exists':
        return exists(part);
      case 'leaf':
        return leaf(part);
    }
  };
  return look(condition);
}

/** `not` moved inwards; undefined for what ties nothing when it is negated. */
function negated(part: Condition): Condition | undefined {
  if (part.kind === 'not') return part.part;
  if (part.kind !== 'and' && part.kind !== 'or') return undefined;
  return {
    kind: part.kind === 'and' ? 'or' : 'and',
    parts: part.parts.map((each) => ({ kind: 'not', part: each })),
  };
}

/** Only if a row of the outside is asked for: otherwise it ties nothing of that. */
function ofExists(exists: Exists): Variables {
  const inner = new Set<Token>(exists.from.map(({ alias }) => alias));
  const isOuter = (token: Token, index: number, tokens: Tokens) =>
    tokens[index + 1] === '.' && !inner.has(token) && (token === ROW || token.startsWith('"'));
  const parts = conditionsOf(exists);
  const isCorrelated = parts.some((part) => part.kind === 'leaf' && (part.tokens?.some(isOuter) ?? false));
  return isCorrelated ? bound(allOf(parts), ofLeaf, ofExists) : NONE;
}

/** `column = {session…}`, `column = any ({session…})`, and the other way round. */
function ofLeaf({ tokens = [] }: Leaf): Variables {
  const shape = tokens
    .map((token) => (sessionVariableOfHole(token) ? '$' : /^["{]/.test(token) ? '_' : token))
    .join(' ');
  if (!['_ . _ = $', '$ = _ . _', '_ . _ = any ( $ )'].includes(shape)) return NONE;
  return new Set(tokens.flatMap((token) => sessionVariableOfHole(token) ?? []));
}

/** The name in `{session.x-engine-user-id::integer}`. */
export function sessionVariableOfHole(text: string): string | undefined {
  return /^\{session\.([^:}]+)::[^}]*\}$/.exec(text)?.[1];
}

function isNull(tokens: Tokens | undefined): boolean {
  return tokens !== undefined && tokens.slice(3).join(' ') === 'is null';
}

export interface RowReference {
  readonly columns: readonly string[];
  readonly target: string;
}

/** Foreign keys, and object relationships that are written like one. */
export function referencesOf({ relationships = {}, references = [] }: TableShape): RowReference[] {
  const followed = Object.values(relationships)
    .filter(({ kind, insertAfter }) => kind === 'object' && !insertAfter)
    .map(({ columns, target }) => ({ columns: Object.keys(columns), target }));
  const all = [...followed, ...references].map(
    (each) => [JSON.stringify([each.target, each.columns.toSorted()]), each] as const,
  );
  return [...new Map(all).values()];
}
