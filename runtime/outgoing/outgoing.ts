/**
 * The HTTP client of every call that leaves: authentication webhooks, JWK sets, actions, event triggers, remote schemas. One
 * deadline covers a whole call, an answer has a size limit, each host has a pool and a bulkhead of its own, and the target's
 * address is checked after DNS. Headers go out exactly as given; nothing is retried.
 */

import { LRUCache } from 'lru-cache';
import type { Pool } from 'undici';
import { headerBytes, headerProblem } from '../core/header-text.ts';
import { lazy, remember } from '../core/remember.ts';
import type { UnverifiedHost } from '../core/settings.ts';
import { Bulkhead, type BulkheadLimits } from './bulkhead.ts';
import { decode } from './decode.ts';
import { OutgoingError } from './error.ts';
import { exchange } from './exchange.ts';
import { createGuard, type TargetRules } from './guard.ts';
import {
  DEFAULT_MAX_SIZE,
  type Header,
  headerOf,
  type OutgoingRequest,
  type OutgoingResponse,
} from './message.ts';
import type { Pools } from './pools.ts';
import { isUnverified } from './unverified.ts';

export interface Outgoing {
  /**
   * Sends a request. Every HTTP status is an answer.
   * @throws OutgoingError without an answer
   */
  readonly send: (request: OutgoingRequest) => Promise<OutgoingResponse>;
  /** Closes idle connections and cancels running calls. */
  readonly close: () => Promise<void>;
}

export interface OutgoingOptions extends Partial<TargetRules> {
  /** Limits per scheme, host and port. */
  readonly limits?: BulkheadLimits;
  /** Hosts whose certificates are not verified, asked for each call. */
  readonly unverified?: () => readonly UnverifiedHost[];
}

const LIMITS: BulkheadLimits = { running: 256, waiting: 1000 };
/** Hosts whose connections are kept while no call runs. */
const IDLE_HOSTS = 64;
const MAX_REDIRECTS = 10;
/** Addresses that are kept as they were read, and the length of the longest. */
const KNOWN_ADDRESSES = 256;
const KNOWN_LENGTH = 1024;

/** About the connection or the length, which this client decides. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Where a call goes, read and checked. */
interface Target {
  readonly url: URL;
  readonly origin: string;
  /** With the query. */
  readonly path: string;
}

interface Host {
  readonly pool: Pool;
  readonly bulkhead: Bulkhead;
}

/** @throws Error naming an entry of `allow` or `deny` that cannot be read */
export function createOutgoing(options: OutgoingOptions = {}): Outgoing {
  const guard = createGuard({ allow: options.allow ?? [], deny: options.deny ?? [] });
  const limits = options.limits ?? LIMITS;
  // Loaded for the first call: many servers make none.
  const client = lazy(async () => {
    const { createPools } = await import('./pools.ts');
    return createPools(guard, limits.running);
  });
  /** Then no call waits for it. */
  let loaded: Pools | undefined;
  /** By origin, those without verification apart; least recently used first. */
  const hosts = new Map<string, Host>();
  let latest: { readonly key: string; readonly host: Host } | undefined;
  const known = new LRUCache<string, Target>({ max: KNOWN_ADDRESSES });
  const readTarget = (address: string | URL): Target => {
    const url = readAddress(address);
    guard.checkHost(url.hostname);
    return { url, origin: url.origin, path: url.pathname + url.search };
  };
  /** Calls go to few addresses, and reading and checking one takes longer than the rest of this module. */
  const targetOf = (address: string | URL): Target =>
    typeof address === 'string' && address.length <= KNOWN_LENGTH
      ? remember<string, Target>(known, address, () => readTarget(address))
      : readTarget(address);
  let closed = false;

  const hostOf = ({ url, origin }: Target, open: Pools['open']): Host => {
    const verified = !options.unverified || !isUnverified(url, options.unverified());
    const key = verified ? origin : `${origin} unverified`;
    if (latest?.key === key) return latest.host;
    const known = hosts.get(key);
    if (known) hosts.delete(key);
    else closeIdle(hosts);
    const host = known ?? { pool: open(origin, verified), bulkhead: new Bulkhead(limits) };
    hosts.set(key, host);
    latest = { key, host };
    return host;
  };

  const sendOnce = (target: Target, request: OutgoingRequest, deadline: number, { open }: Pools) => {
    if (closed) throw new OutgoingError('cancelled', 'the server is stopping');
    const { pool, bulkhead } = hostOf(target, open);
    const { method = 'POST', headers = [], body = null, whenUnwanted, truncate = false } = request;
    const dispatch = { path: target.path, method: method as 'POST', headers: sentHeaders(headers), body };
    const { maxSize = DEFAULT_MAX_SIZE } = request;
    return exchange(pool, bulkhead, dispatch, { deadline, maxSize, truncate, whenUnwanted });
  };

  const send = async (request: OutgoingRequest): Promise<OutgoingResponse> => {
    const began = performance.now();
    const last = request.deadline ?? Number.POSITIVE_INFINITY;
    const deadline = Math.max(began + 1, Math.min(began + request.timeout, last));
    let target = targetOf(request.url);
    let current = request;
    loaded ??= await client();
    for (let redirects = 0; ; redirects++) {
      const response = await sendOnce(target, current, deadline, loaded);
      const next = request.followSameOrigin ? redirectOf(response, target.url) : undefined;
      if (next === undefined || redirects === MAX_REDIRECTS) {
        if (response.truncated) return response;
        return decode(response, request.maxSize ?? DEFAULT_MAX_SIZE);
      }
      target = readTarget(next);
      current = redirected(current, response.status);
    }
  };
  const close = async () => {
    closed = true;
    const reason = new OutgoingError('cancelled', 'the server is stopping');
    await Promise.all([...hosts.values()].map(({ pool }) => pool.destroy(reason)));
    hosts.clear();
  };
  return { send, close };
}

/** Names and values in turn, as bytes. @throws OutgoingError `header` */
function sentHeaders(headers: readonly Header[]): string[] {
  const sent: string[] = [];
  for (const [name, value] of headers) {
    if (OWN_HEADERS.has(name.toLowerCase())) continue;
    const problem = headerProblem(name, value);
    if (problem !== undefined) throw new OutgoingError('header', problem);
    sent.push(name, headerBytes(value));
  }
  return sent;
}

/** Makes room: hosts without calls are left out, the least recently used first. */
function closeIdle(hosts: Map<string, Host>): void {
  for (const [origin, { pool, bulkhead }] of hosts) {
    if (hosts.size < IDLE_HOSTS) return;
    if (!bulkhead.idle) continue;
    hosts.delete(origin);
    void pool.close().catch(() => {});
  }
}

function readAddress(address: string | URL): URL {
  const url = URL.canParse(String(address)) ? new URL(String(address)) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new OutgoingError('invalid', 'the address is not an http or https URL');
  if (url.username !== '' || url.password !== '')
    throw new OutgoingError('invalid', 'the address contains credentials');
  return url;
}

/** Target of a redirect that stays where it is. */
function redirectOf(response: OutgoingResponse, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(response.status)) return undefined;
  const location = headerOf(response, 'location');
  if (location === undefined || !URL.canParse(location, from.href)) return undefined;
  const to = new URL(location, from.href);
  return to.origin === from.origin && to.username === '' && to.password === '' ? to : undefined;
}

/** The request at the new place: 307 and 308 repeat it, the others ask with GET. */
function redirected(request: OutgoingRequest, status: number): OutgoingRequest {
  if (status === 307 || status === 308 || request.method === 'GET') return request;
  const { body: _, ...rest } = request;
  const headers = (request.headers ?? []).filter(([name]) => !/^content-/i.test(name));
  return { ...rest, method: 'GET', headers };
}
