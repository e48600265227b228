/**
 * Headers of calls to handlers, and which one is sent if several have the same name.
 * @rule Which headers does an action handler get?
 */

import { USER_AGENT } from '../../configuration/version.ts';
import { vocabulary } from '../../core/vocabulary.ts';
import { forwardedHeaders } from '../forwarded-headers.ts';
import { isRedacted } from '../message.ts';
import { type Trace, traceHeaders } from '../trace.ts';
import type { PreparedAction, ShownHeader } from './prepared.ts';

type ClientHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface CallOrigin {
  /** Headers of the client's request; absent when no request caused the call. */
  readonly headers?: ClientHeaders | undefined;
  readonly requestId?: string | undefined;
  readonly trace?: Trace | undefined;
  /** Where the handler may complete the call later. */
  readonly completionUrl?: string | undefined;
}

/**
 * The headers of a call. By default the client's replace the fixed ones and those the configured ones; `configuredFirst`
 * reverses the order.
 */
export function callHeaders(
  { shape, headers: configured }: PreparedAction,
  origin: CallOrigin,
  configuredFirst: boolean,
): readonly ShownHeader[] {
  const client = shape.forwardClientHeaders
    ? clientHeaders(origin.headers ?? {}, shape.ignoredClientHeaders)
    : [];
  return chooseHeaders(configuredFirst ? [configured, FIXED, client] : [client, FIXED, configured], origin);
}

const FIXED = [plain('Content-Type', 'application/json'), plain('User-Agent', USER_AGENT)];

/** Merges lists of headers: for each name the first list that has it wins; then those of the request and its trace. */
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
function ownHeaders({ requestId, trace, completionUrl }: CallOrigin): ShownHeader[] {
  return [
    ...(completionUrl === undefined
      ? []
      : [{ name: vocabulary().titled('Completion-Url'), value: completionUrl, shown: '<redacted>' }]),
    ...(requestId === undefined ? [] : [plain('x-request-id', requestId)]),
    ...Object.entries(trace ? traceHeaders(trace) : {}).map(([name, value]) => plain(name, value)),
  ];
}

/** The client's headers that go along: never session variables, the admin secret or the host. */
export function clientHeaders(headers: ClientHeaders, ignored: readonly string[] | undefined): ShownHeader[] {
  const forwarded = Object.entries(forwardedHeaders(headers, ignored && new Set(ignored))).filter(
    ([name]) => !vocabulary().isReadAsOwn(name) && name !== 'host',
  );
  const about = (['host', 'user-agent', 'origin'] as const).flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [plain(`X-Forwarded-${FORWARDED_AS[name]}`, value)] : [];
  });
  return [...about, ...forwarded.map(([name, value]) => plain(name, value))];
}

const FORWARDED_AS = { host: 'Host', 'user-agent': 'User-Agent', origin: 'Origin' } as const;

/** A header whose value logs and errors may show, unless its name says otherwise. */
export function plain(name: string, value: string): ShownHeader {
  return { name, value, shown: isRedacted(name) ? '<redacted>' : value };
}
