/** Requests to the server that served the page, as the administrator. */

import { createClient } from 'graphql-ws';
import { useCallback, useEffect, useState } from 'react';
import { inBytes } from '../../core/header-text.ts';
import { parseExactJson } from '../../core/json/exact-json.ts';
import { jsonText } from '../../core/json/json-value.ts';
import type { DescribedReason } from '../../core/reason.ts';

/** `x-engine-role`, by the server's vocabulary. */
export function named(name: string): string {
  const word = document.querySelector<HTMLMetaElement>('meta[name=vocabulary]')?.content ?? 'engine';
  return `x-${word}-${name}`;
}

/** Kept in memory: gone when the page is left. */
let secret: string | undefined;

export function keepSecret(given: string): void {
  secret = given;
}

/** Whether one was given; the server may have refused it. */
export function hasSecret(): boolean {
  return secret !== undefined;
}

/** The server refused the request. `code` is `access-denied` where an admin secret is needed. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string;
  /** The rule that it follows from. */
  readonly reason: DescribedReason | undefined;

  constructor(code: string, message: string, reason?: DescribedReason) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

/** @throws Refusal */
export function read<Answer>(path: string): Promise<Answer> {
  return send(path, { method: 'GET' });
}

/** An operation of the metadata API. @throws Refusal */
export function metadata<Answer>(type: string, args: object = {}, version?: number): Promise<Answer> {
  const body = JSON.stringify({ type, args, ...(version !== undefined && { version }) });
  return send('/v1/metadata', { method: 'POST', body });
}

/** Numbers keep their digits, both ways. @throws Refusal */
export function post<Answer>(path: string, body: object): Promise<Answer> {
  return send(path, { method: 'POST', body: jsonText(body) }, parseExactJson);
}

/**
 * A GraphQL request with the headers of a session. Errors are part of the answer.
 * @param parse reads the answer's text; `parseExactJson` keeps the digits of numbers
 */
export async function graphql(request: object, session: Session, parse = JSON.parse): Promise<unknown> {
  const headers = { 'content-type': 'application/json', ...inBytes(asAdministrator(session)) };
  const body = jsonText(request);
  const { answer } = await fetchJson('/v1/graphql', { method: 'POST', headers, body }, parse);
  return answer;
}

/** @throws Error in words where there is no answer, or none of the server's */
async function fetchJson(
  path: string,
  init: RequestInit,
  parse: (text: string) => unknown = JSON.parse,
): Promise<{ response: Response; answer: unknown }> {
  const response = await fetch(path, { ...init, credentials: 'same-origin' }).catch(() => {
    throw new Error('The server does not answer. It was stopped, or the network is interrupted.');
  });
  try {
    return { response, answer: parse(await response.text()) };
  } catch {
    throw new Error(`The answer has status ${response.status} and is not the server's: it is no JSON.`);
  }
}

/**
 * A request of this server with the headers of a session. The answer is what came, whatever its status.
 * @param path from the root on
 */
export async function callAs(
  session: Session,
  method: string,
  path: string,
  body: string | undefined,
): Promise<{ readonly status: number; readonly text: string }> {
  // Another host would get the secret.
  const url = new URL(path, location.href);
  if (url.origin !== location.origin) throw new Error('Write a path of this server: it begins with one /.');
  const headers = inBytes(asAdministrator(session));
  if (body !== undefined) headers['content-type'] = 'application/json';
  const init = { method, headers, ...(body !== undefined && { body }) };
  const { response, answer } = await fetchJson(url.href, init, parseExactJson);
  return { status: response.status, text: jsonText(answer, '  ') };
}

/** Results of a subscription until the reader stops. The socket closes with it. */
export function subscription(request: object, session: Session): AsyncIterable<unknown> {
  const url = new URL('/v1/graphql', location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  const client = createClient({ url: url.href, connectionParams: { headers: asAdministrator(session) } });
  return client.iterate(request as { readonly query: string });
}

/** Headers of a session. */
type Session = Readonly<Record<string, string>>;

function asAdministrator(session: Session): Record<string, string> {
  return { ...session, ...(secret !== undefined && { [named('admin-secret')]: secret }) };
}

/** A file's text, for the server to read. @throws Refusal */
export function postText<Answer>(path: string, text: string): Promise<Answer> {
  return send(path, { method: 'POST', body: text });
}

async function send<Answer>(
  path: string,
  init: RequestInit,
  parse?: (text: string) => unknown,
): Promise<Answer> {
  const headers = inBytes(asAdministrator({ [named('role')]: 'admin' }));
  if (init.body !== undefined) headers['content-type'] = 'application/json';
  const { response, answer: json } = await fetchJson(path, { ...init, headers }, parse);
  const answer = json as Answer & {
    readonly error?: string;
    readonly code?: string;
    /** For administrators. */
    readonly internal?: { readonly reason?: DescribedReason; readonly message?: string };
    readonly errors?: readonly {
      readonly message: string;
      readonly extensions?: { readonly code?: string };
    }[];
  };
  if (response.ok && !answer?.errors) return answer;
  const [first] = answer.errors ?? [];
  const { reason, message } = answer.internal ?? {};
  throw new Refusal(
    first?.extensions?.code ?? answer.code ?? String(response.status),
    [first?.message ?? answer.error ?? response.statusText, ...(message ? [message] : [])].join(': '),
    reason,
  );
}

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly error: Error | undefined;
  readonly again: () => void;
}

/** Loads when the page is shown, and again when `key` differs. The last value stays until there is a new one. */
export function useLoaded<Value>(key: string, load: () => Promise<Value>): Loaded<Value> {
  const [round, setRound] = useState(0);
  const [state, setState] = useState<{ value?: Value; error?: Error }>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for what the function uses
  useEffect(() => {
    let isLast = true;
    load().then(
      (value) => isLast && setState({ value }),
      (error: Error) => isLast && setState({ error }),
    );
    return () => {
      isLast = false;
    };
  }, [key, round]);
  const again = useCallback(() => setRound((last) => last + 1), []);
  return { value: state.value, error: state.error, again };
}

/** Milliseconds between two looks at what changes without the reader. */
const LOOK = 2000;

/** Calls it again and again while the page is seen. @param isLive stops where it is false */
export function useLive(again: () => void, isLive = true): void {
  useEffect(() => {
    if (!isLive) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && again(), LOOK);
    return () => clearInterval(timer);
  }, [again, isLive]);
}
