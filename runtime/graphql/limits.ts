/**
 * Limits per role, as metadata `api_limits` sets them. A role's own value replaces the global one;
 * administrators have none.
 * @rule What are the depth, node, batch, time and rate limits of a role?
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { EngineError, pathStep } from '../core/errors.ts';
import type { Reason } from '../core/reason.ts';
import type { Operation } from '../core/request/document.ts';
import { type OperationSize, operationSize, sizeWithArguments } from '../core/request/size.ts';
import { ADMIN_ROLE, provenVariables, type Session } from '../core/session.ts';
import { type ApiLimits, type Limit, limitOfRole, type RateLimit } from '../core/settings.ts';

export interface Limits {
  /** Counts a request from an address. @throws EngineError with status 429 when there were too many */
  readonly countRequest: (session: Session, address: string) => void | Promise<void>;
  /** @throws EngineError when a batch has too many members */
  readonly checkBatch: (session: Session, size: number) => void;
  /**
   * @param inArguments what its arguments ask for: nodes beside those of its fields, and levels below a root field
   * @throws EngineError when an operation is too deep or has too many nodes
   */
  readonly checkOperation: (session: Session, operation: Operation, inArguments?: OperationSize) => void;
  /** Seconds that an operation may take; undefined: as long as it needs. */
  readonly timeLimit: (session: Session) => number | undefined;
}

/** Counts requests by key, a minute at a time. One for the server: a change of the metadata does not reset it. */
export interface RateCounter {
  /** Counts one more request. @returns how many there were in the running minute; later where another process counts */
  readonly count: (key: string) => number | Promise<number>;
}

/** Maximum nodes of any operation, for every role: fragments can expand a short text beyond what a server can plan. */
const MAX_NODES = 10_000;
/**
 * Maximum number of counted keys. Clients choose some of them, such as addresses. They are no part of the memory budget,
 * whose entries clients can drive out; each takes some 200 bytes.
 */
const MAX_KEYS = 100_000;
/** Longer keys, which are made of session variables, are counted by their hash. */
const LONG_KEY = 60;
const MINUTE = 60_000;

/** @param now milliseconds */
export function createRateCounter(now: () => number = Date.now) {
  // Not `max`, for which the cache makes lists of that length at once.
  const counts = new LRUCache<string, { readonly since: number; requests: number }>({
    maxSize: MAX_KEYS,
    sizeCalculation: () => 1,
  });
  return {
    count: (given: string): number => {
      const key = given.length > LONG_KEY ? createHash('sha256').update(given).digest('base64') : given;
      const time = now();
      let minute = counts.get(key);
      if (!minute || time - minute.since >= MINUTE) {
        minute = { since: time, requests: 0 };
        counts.set(key, minute);
      }
      minute.requests += 1;
      return minute.requests;
    },
  };
}

export function createLimits(limits: ApiLimits | undefined, counter: RateCounter): Limits {
  const sizes = new WeakMap<Operation, OperationSize>();
  return {
    countRequest: (session, address) => {
      const rate = limitFor(limits?.rate_limit, session);
      if (!rate) return;
      const check = (requests: number) => {
        if (requests <= rate.max_reqs_per_min) return;
        throw new EngineError(
          'busy',
          `rate limit exceeded: at most ${rate.max_reqs_per_min} requests per minute are allowed`,
          { status: 429, reason: limitReason('rate_limit', limits?.rate_limit, session) },
        );
      };
      const requests = counter.count(rateKey(rate, session, address));
      return typeof requests === 'number' ? check(requests) : requests.then(check);
    },
    checkBatch: (session, size) => {
      const most = limitFor(limits?.batch_limit, session);
      if (most !== undefined && size > most)
        throw exceeded('batch', size, most, limitReason('batch_limit', limits?.batch_limit, session));
    },
    checkOperation: (session, operation, inArguments) => {
      const depth = limitFor(limits?.depth_limit, session);
      const nodes = limitFor(limits?.node_limit, session);
      let size = sizes.get(operation);
      if (!size) {
        size = operationSize(operation);
        sizes.set(operation, size);
      }
      size = sizeWithArguments(size, inArguments);
      if (size.nodes > MAX_NODES) throw exceeded('node', size.nodes, MAX_NODES);
      if (depth !== undefined && size.depth > depth)
        throw exceeded('depth', size.depth, depth, limitReason('depth_limit', limits?.depth_limit, session));
      if (nodes !== undefined && size.nodes > nodes)
        throw exceeded('node', size.nodes, nodes, limitReason('node_limit', limits?.node_limit, session));
    },
    timeLimit: (session) => limitFor(limits?.time_limit, session),
  };
}

function limitFor<Value>(limit: Limit<Value> | undefined, { role }: Session): Value | undefined {
  return role === ADMIN_ROLE ? undefined : limitOfRole(limit, role);
}

function limitReason(name: keyof ApiLimits, limit: Limit<unknown> | undefined, { role }: Session): Reason {
  const own = limit !== undefined && Object.hasOwn(limit.per_role, role);
  return {
    rule: `api_limits.${name}`,
    why: own ? `the limit is set for the role ${role}` : 'the limit is set for every role',
    path: `metadata.api_limits.${name}.${own ? pathStep('per_role', role) : 'global'}`,
  };
}

function exceeded(name: string, found: number, most: number, reason?: Reason): EngineError {
  return new EngineError(
    'validation-failed',
    `${name} limit exceeded: ${found} where at most ${most} ${most === 1 ? 'is' : 'are'} allowed`,
    { reason },
  );
}

function rateKey({ unique_params: unique }: RateLimit, session: Session, address: string): string {
  const { role, vocabulary } = session;
  if (unique === undefined) return JSON.stringify([role]);
  if (unique === 'IP') return JSON.stringify([role, address]);
  const variables = provenVariables(session);
  return JSON.stringify([
    role,
    ...unique.map((name) => variables[vocabulary.toCanonical(name) ?? name.toLowerCase()] ?? null),
  ]);
}
