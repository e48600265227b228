/**
 * Headers of calls to services, and which one is sent if several have the same name.
 * @rule Which headers does an action handler get?
 */
import { USER_AGENT } from '../configuration/version.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import { type Header, isRedacted } from './message.ts';
import { type Trace, traceHeaders } from './trace.ts';

type ClientHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A header with the text that logs and errors show instead of its value; by default the value, unless the name says that it is secret. */
export interface ShownHeader {
  readonly name: string;
  readonly value: string;
  readonly shown?: string;
}

/** What logs and errors show of a header. */
export function shownValue({ name, value, shown }: ShownHeader): string {
  return shown ?? (isRedacted(name) ? '<redacted>' : value);
}

/** The request that causes a call, if one does. */
export interface CallOrigin {
  readonly headers?: ClientHeaders | undefined;
  readonly requestId?: string | undefined;
  readonly trace?: Trace | undefined;
  /** Where the handler of an action may complete the call later. */
  readonly completion?: ShownHeader | undefined;
}

const AGENT = plain('User-Agent', USER_AGENT);
/** What calls without a body say of this server. */
export const GET_HEADERS: readonly ShownHeader[] = [AGENT];
/** What calls say of this server and their body. */
export const POST_HEADERS: readonly ShownHeader[] = [plain('Content-Type', 'application/json'), AGENT];

/** Merges lists of headers: for each name the first list that has it wins; before all, those of the request and its trace. */
export function chooseHeaders(
  order: readonly (readonly ShownHeader[])[],
  origin: CallOrigin,
): readonly ShownHeader[] {
  const own = ownHeaders(origin);
  const seen = new Set(own.map(({ name }) => name.toLowerCase()));
  const chosen: ShownHeader[] = [];
  for (const list of order) {
    const before = chosen.length;
    for (const header of list) if (!seen.has(header.name.toLowerCase())) chosen.push(header);
    // After the list: a name that is configured twice goes out twice.
    for (let index = before; index < chosen.length; index += 1) seen.add(chosen[index]!.name.toLowerCase());
  }
  chosen.push(...own);
  return chosen;
}

/** Headers about the call itself; no configuration overrides them. */
function ownHeaders({ requestId, trace, completion }: CallOrigin): ShownHeader[] {
  const own: ShownHeader[] = [];
  if (completion) own.push(completion);
  if (requestId !== undefined) own.push(plain('x-request-id', requestId));
  if (trace) for (const [name, value] of traceHeaders(trace)) own.push(plain(name, value));
  return own;
}

/** About the client's own connection or document, not about the operation. */
const IGNORED: ReadonlySet<string> = new Set([
  'content-length',
  'content-md5',
  'user-agent',
  'host',
  'origin',
  'referer',
  'accept',
  'accept-encoding',
  'accept-language',
  'accept-datetime',
  'cache-control',
  'connection',
  'dnt',
  'content-type',
]);

/** About one connection: passing them on would break, or let a client break, the next one. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The client's headers that may be sent on, by lower-case name. @param ignored lower-case names that are left out */
export function forwardedHeaders(headers: ClientHeaders, ignored = IGNORED): ShownHeader[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || ignored.has(name) || HOP_BY_HOP.has(name) || name.startsWith('sec-websocket-')
      ? []
      : [plain(name, typeof value === 'string' ? value : value.join(', '))],
  );
}

/** Whether the client's headers go along with the calls of a service. */
interface Forwarding {
  readonly forwardClientHeaders?: boolean | undefined;
  readonly ignoredClientHeaders?: readonly string[] | undefined;
}

/** Those of them that a service gets: never session variables, the admin secret or the host, which goes along under another name. */
export function clientHeaders(
  { forwardClientHeaders, ignoredClientHeaders }: Forwarding,
  headers: ClientHeaders | undefined,
  vocabulary: Vocabulary,
): readonly ShownHeader[] {
  if (!forwardClientHeaders || !headers) return [];
  const about = (['host', 'user-agent', 'origin'] as const).flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [plain(`X-Forwarded-${FORWARDED_AS[name]}`, value)] : [];
  });
  const named = new Set(['host', ...about.map(({ name }) => name.toLowerCase())]);
  const forwarded = forwardedHeaders(headers, ignoredClientHeaders && new Set(ignoredClientHeaders));
  return [...about, ...forwarded.filter(({ name }) => !named.has(name) && !vocabulary.isReadAsOwn(name))];
}

const FORWARDED_AS = { host: 'Host', 'user-agent': 'User-Agent', origin: 'Origin' } as const;

function plain(name: string, value: string): ShownHeader {
  return { name, value };
}

export function plainHeaders(values: Readonly<Record<string, string>>): ShownHeader[] {
  return Object.entries(values).map(([name, value]) => plain(name, value));
}

/** Names and values as sent. */
export function pairsOf(headers: readonly ShownHeader[]): readonly Header[] {
  return headers.map(({ name, value }) => [name, value] as const);
}
