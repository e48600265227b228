/**
 * Facts of the database's objects. A catalog has them by text, the kind and then a name (`check ticket_status_check`): this is
 * the only reader of that text.
 */
import type { DatabaseObject } from './catalog.ts';

/** Kinds of facts; with `true` those whose name is that of a column of the object. */
const FACT_KINDS = {
  query: false,
  options: false,
  owner: false,
  'row security': false,
  policy: false,
  generated: true,
  collation: true,
  type: true,
  size: true,
  'foreign column': true,
  bounds: false,
  privilege: false,
  'no execute': false,
  'no usage': false,
  definition: false,
  'operator class': false,
  operator: false,
  cast: false,
  'event trigger': false,
  setting: false,
  index: false,
  child: false,
  'foreign server': false,
  trigger: false,
  rule: false,
  check: false,
  exclusion: false,
  unique: false,
  'foreign key': false,
  'referenced by': false,
  default: true,
  identity: true,
  required: true,
  base: false,
  'not null': true,
  volatile: false,
  body: false,
} as const satisfies Record<string, boolean>;

export type FactKind = keyof typeof FACT_KINDS;

/** The text with which a catalog names a fact, and its parts. */
export interface FactName {
  readonly kind: FactKind;
  /** Empty where an object has one fact of the kind, and for bodies, which are named by the arguments of the function. */
  readonly name: string;
  /** The name is that of a column. */
  readonly isOfColumn: boolean;
}

// A kind that begins like another one is tried first.
const BY_LENGTH = (Object.keys(FACT_KINDS) as FactKind[]).sort((left, right) => right.length - left.length);

/** @throws Error if the text is of no known kind */
export function readFactName(text: string): FactName {
  const kind = BY_LENGTH.find(
    (each) => text === each || (text.startsWith(each) && /[ (]/.test(text[each.length]!)),
  );
  if (kind === undefined) throw new Error(`unknown fact of an object of the database: ${text}`);
  const name = kind === 'body' ? '' : text.slice(kind.length).trim();
  return { kind, name, isOfColumn: FACT_KINDS[kind] };
}

export function factName(kind: FactKind, name: string): string {
  return `${kind} ${name}`;
}

/** The facts of one kind: name and value. */
export function factsOfKind(
  { facts }: DatabaseObject,
  kind: FactKind,
): (readonly [name: string, value: string])[] {
  return Object.entries(facts).flatMap(([text, value]) => {
    const fact = readFactName(text);
    return fact.kind === kind ? [[fact.name, value] as const] : [];
  });
}
