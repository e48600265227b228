/**
 * What a role may do beside tables, what its writes cause and what limits it: facts as data. Ledgers, audits and comparisons of
 * two versions read the same facts; two facts are the same if their data is. Only `roleFactText` has words for them.
 * @rule What may a role do beside tables, what do its writes cause, and what limits it?
 */
import type { ActionShape } from '../action/shapes.ts';
import type { EventsProgram } from '../contract/events.ts';
import type { FunctionShape, TableShape } from '../contract/shapes.ts';
import { shownText } from '../environment-template.ts';
import { objectKey } from '../names.ts';
import { type RemoteFact, remoteFactText } from '../remotes/facts.ts';
import { type ApiLimits, limitOfRole } from '../settings.ts';
import { deletionOf } from './deletions.ts';

type Limit = Exclude<keyof ApiLimits, 'disabled'>;

/** The data of each kind of fact. */
interface Facts {
  /** It may call an action. */
  readonly call: Pick<ActionShape, 'type' | 'kind'>;
  /** `to`: the address as the metadata has it. */
  readonly sends: { readonly to: string };
  readonly 'sends argument': { readonly name: string; readonly type: string };
  readonly 'sends session': object;
  /** `from`: the environment variable with the value. */
  readonly 'sends header': { readonly name: string; readonly from?: string };
  /** Headers of the client; `except` replaces the default list. */
  readonly 'sends client headers': { readonly except?: readonly string[] };
  readonly transforms: { readonly what: 'request' | 'answer' };
  /** A GraphQL type. */
  readonly answers: { readonly output: string };
  /** Rows of a table that a field of the answer leads to. */
  readonly 'answers rows': { readonly source: string; readonly table: string; readonly field: string };
  /** It may call a function that returns rows of a table. */
  readonly function: {
    readonly returns: string;
    readonly because: 'permission' | 'select';
    readonly isMutation: boolean;
  };
  /** What a function writes. */
  readonly writes: { readonly table: string; readonly operations: readonly string[] };
  /** A function runs as its owner; `field`: the computed field that calls it. */
  readonly definer: { readonly field?: string };
  /** A remote schema, on servers that apply no permissions to it. */
  readonly 'open remote schema': object;
  /** A field, argument or preset that its part of a remote schema has. */
  readonly remote: { readonly part: RemoteFact };
  /** A write makes an event of a trigger; `on`: the table, unless it is the written one. */
  readonly event: { readonly trigger: string; readonly on?: string; readonly webhook: string };
  /** `per`: what a rate is counted for. */
  readonly limit: {
    readonly limit: Limit;
    readonly most: number;
    readonly per?: 'all' | 'IP' | readonly string[];
  };
}

type FactKind = keyof Facts;

/** A fact, with its kind. */
export type RoleFact<Kind extends FactKind = FactKind> = {
  readonly [Each in Kind]: { readonly fact: Each } & Facts[Each];
}[Kind];

/** Without it every role may ask for everything of every remote schema. */
export const CLOSING_OPTION = '--enable-remote-schema-permissions';

/** What each limit counts. */
const COUNTED: Readonly<Record<Limit, string>> = {
  depth_limit: 'depth',
  node_limit: 'nodes',
  batch_limit: 'requests of a batch',
  time_limit: 'seconds',
  rate_limit: 'requests a minute',
};
export const LIMITS = Object.keys(COUNTED) as readonly Limit[];

const WORDS: { readonly [Kind in FactKind]: (fact: Facts[Kind]) => string } = {
  call: ({ type, kind }) => `call (${kind === 'asynchronous' ? 'asynchronous ' : ''}${type})`,
  sends: ({ to }) => `sends to ${JSON.stringify(to)}`,
  'sends argument': ({ name, type }) => `sends argument ${nameText(name)}: ${type}`,
  'sends session': () => 'sends session variables',
  'sends header': ({ name, from }) =>
    `sends header ${nameText(name)}${from === undefined ? '' : ` from environment variable ${nameText(from)}`}`,
  'sends client headers': ({ except }) =>
    `sends client headers, credentials included${except ? `, except ${except.map(nameText).join(', ') || 'none'}` : ''}`,
  transforms: ({ what }) => `transforms the ${what}`,
  answers: ({ output }) => `answers ${output}`,
  'answers rows': ({ source, table, field }) =>
    `answers rows of ${nameText(source)} ${nameText(table)} as ${nameText(field)}`,
  function: ({ returns, because, isMutation }) =>
    `call${because === 'select' ? ', because it may select' : ''}: ${isMutation ? 'what it writes meets no rule; ' : ''}rows of ${nameText(returns)} as by select`,
  writes: ({ table, operations }) =>
    `${operations.join(' and ')} rows of ${nameText(table)}, whatever the role may`,
  definer: ({ field }) =>
    `${field === undefined ? '' : `computed field ${nameText(field)} `}runs with the rights of its owner (security definer)`,
  'open remote schema': () => `every field, unless the server has ${CLOSING_OPTION}`,
  remote: ({ part }) => remoteFactText(part),
  event: ({ trigger, on, webhook }) =>
    `causes event ${trigger}${on === undefined ? '' : ` of ${on}`}, sent to ${JSON.stringify(webhook)}`,
  limit: ({ limit, most, per }) => `${COUNTED[limit]} ${most}${per === undefined ? '' : `, ${perText(per)}`}`,
};

function perText(per: NonNullable<Facts['limit']['per']>): string {
  if (per === 'all') return 'together';
  return per === 'IP' ? 'for each address' : `for each ${per.join(', ')}`;
}

/** A fact in words, without its subject. The words of each kind are here alone; they are never compared nor read. */
export function roleFactText<Kind extends FactKind>(fact: RoleFact<Kind>): string {
  return WORDS[fact.fact](fact);
}

/** A name; in quotes when it could be mistaken for something else. */
export function nameText(text: string): string {
  return /^[\w.$-]+$/.test(text) ? text : JSON.stringify(text);
}

/** What each part of an action causes, in the order in which it is listed. */
const OF_ACTION: {
  readonly [Key in keyof ActionShape]-?: (
    value: NonNullable<ActionShape[Key]>,
    action: ActionShape,
  ) => readonly RoleFact[];
} = {
  handler: (to) => [{ fact: 'sends', to }],
  arguments: (fields) => [
    ...Object.entries(fields).map(([name, { type }]) => ({ fact: 'sends argument', name, type }) as const),
    { fact: 'sends session' },
  ],
  headers: (headers) =>
    headers.map(({ name, value }) => ({
      ...{ fact: 'sends header', name },
      ...(typeof value !== 'string' && { from: value.env }),
    })),
  forwardClientHeaders: (_, { ignoredClientHeaders: except }) => [
    { fact: 'sends client headers', ...(except && { except }) },
  ],
  requestTransform: () => [{ fact: 'transforms', what: 'request' }],
  responseTransform: () => [{ fact: 'transforms', what: 'answer' }],
  output: (output) => [{ fact: 'answers', output }],
  // Said of the whole, or nothing that a call causes.
  name: () => [],
  type: () => [],
  description: () => [],
  kind: () => [],
  ignoredClientHeaders: () => [],
  timeout: () => [],
  roles: () => [],
};

/** That a role may call an action, and what that causes. */
export function actionFacts(action: ActionShape): RoleFact[] {
  const { type, kind } = action;
  return [{ fact: 'call', type, kind }, ...actionEffects(action)];
}

/** What leaves the server when an action is called, and what comes back. */
export function actionEffects(action: ActionShape): RoleFact[] {
  return (Object.keys(OF_ACTION) as (keyof ActionShape)[]).flatMap((key) => {
    const value = action[key];
    if (value === undefined) return [];
    // A function of the table takes the values under its key.
    return (OF_ACTION[key] as (value: unknown, action: ActionShape) => readonly RoleFact[])(value, action);
  });
}

/**
 * What a role may do that may call a function.
 * @param because the role has a permission for the function, or for the rows that it returns
 */
export function functionFacts(
  shape: FunctionShape,
  because: Facts['function']['because'],
  isMutation: boolean,
): RoleFact[] {
  const { table: returns } = shape.returns;
  return [{ fact: 'function', returns, because, isMutation }, ...functionEffects(shape)];
}

/** What calls of a function do beside returning rows. */
export function functionEffects({ writes = {}, definer }: FunctionShape): RoleFact[] {
  return [
    ...Object.entries(writes).map(([table, operations]) => ({ fact: 'writes', table, operations }) as const),
    ...(definer ? [{ fact: 'definer' } as const] : []),
  ];
}

/** Limits of requests that a role has. */
export function limitFacts(limits: ApiLimits | undefined, role: string): RoleFact<'limit'>[] {
  if (!limits || limits.disabled) return [];
  return LIMITS.flatMap((limit): RoleFact<'limit'>[] => {
    if (limit !== 'rate_limit') {
      const most = limitOfRole(limits[limit], role);
      return most === undefined ? [] : [{ fact: 'limit', limit, most }];
    }
    const rate = limitOfRole(limits[limit], role);
    return rate
      ? [{ fact: 'limit', limit, most: rate.max_reqs_per_min, per: rate.unique_params ?? 'all' }]
      : [];
  });
}

/**
 * Events that writes to a table cause, those of rows that foreign keys delete or change with it as well.
 * @param shapes tables of the source by key
 */
export function eventFacts(
  { sources }: EventsProgram,
  source: string,
  key: string,
  operation: 'insert' | 'update' | 'delete',
  shapes: ReadonlyMap<string, TableShape>,
): RoleFact<'event'>[] {
  const triggers = sources.find((each) => each.source === source)?.triggers ?? [];
  if (triggers.length === 0) return [];
  const { deleted, changed } =
    operation === 'delete' ? deletionOf(key, shapes) : { deleted: [], changed: [] as readonly string[] };
  const causes: (readonly [table: string, operation: string])[] = [
    [key, operation],
    ...deleted.map((table) => [table, 'delete'] as const),
    ...changed.map((table) => [table, 'update'] as const),
  ];
  return triggers.flatMap(({ name, table, captures, delivery: { webhook } }): RoleFact<'event'>[] => {
    const on = objectKey(table.schema, table.name);
    const isCaused = causes.some(
      ([each, kind]) => each === on && captures.some((capture) => capture.operation === kind.toUpperCase()),
    );
    if (!isCaused) return [];
    return [{ fact: 'event', trigger: name, ...(on !== key && { on }), webhook: shownText(webhook) }];
  });
}
