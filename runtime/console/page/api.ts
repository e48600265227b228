/** Requests to the server that served the page, as the administrator. */
import { useCallback, useEffect, useState } from 'react';

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

/** The server refused the request. `code` is `access-denied` where an admin secret is needed. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
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

/** @throws Refusal */
export function post<Answer>(path: string, body: object): Promise<Answer> {
  return send(path, { method: 'POST', body: JSON.stringify(body) });
}

async function send<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const headers: Record<string, string> = { [named('role')]: 'admin' };
  if (init.body !== undefined) headers['content-type'] = 'application/json';
  if (secret !== undefined) headers[named('admin-secret')] = secret;
  const response = await fetch(path, { ...init, headers, credentials: 'same-origin' });
  const answer = (await response.json()) as Answer & {
    readonly error?: string;
    readonly code?: string;
    readonly errors?: readonly {
      readonly message: string;
      readonly extensions?: { readonly code?: string };
    }[];
  };
  if (response.ok && !answer?.errors) return answer;
  const [first] = answer.errors ?? [];
  throw new Refusal(
    first?.extensions?.code ?? answer.code ?? String(response.status),
    first?.message ?? answer.error ?? response.statusText,
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
