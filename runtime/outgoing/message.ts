/** Requests and answers of the outgoing client. */

/** Maximum bytes of an answer unless the request says otherwise. */
export const DEFAULT_MAX_SIZE = 32 * 1024 * 1024;

/** Calls `cancel` when an answer is no longer waited for, at once if that is so now. @returns forgets it */
export type WhenUnwanted = (cancel: () => void) => () => void;

/** Name and value; a name may occur several times. */
export type Header = readonly [name: string, value: string];

export interface OutgoingRequest {
  /** http or https, without credentials. */
  readonly url: string | URL;
  /** POST unless given. */
  readonly method?: string;
  /** Sent as given, repeated names included. Those about the connection itself and `Content-Length` are left out. */
  readonly headers?: readonly Header[];
  readonly body?: string | Uint8Array | undefined;
  /** Milliseconds for the whole call: waiting, DNS, connect, headers and body, redirects included. */
  readonly timeout: number;
  /** Time of `performance.now()` at which the call ends, if that is earlier. */
  readonly deadline?: number | undefined;
  /** Maximum bytes of the answer, compressed or not; DEFAULT_MAX_SIZE unless given. */
  readonly maxSize?: number;
  /** Takes the first `maxSize` bytes of a longer answer instead of failing. */
  readonly truncate?: boolean;
  /** Follows redirects as long as scheme, host and port stay the same. Otherwise, and by default, they are the answer. */
  readonly followSameOrigin?: boolean;
  /** Closes the connection of a running call when nobody waits for its answer any more. */
  readonly whenUnwanted?: WhenUnwanted | undefined;
}

export interface OutgoingResponse {
  readonly status: number;
  readonly headers: readonly Header[];
  /** Decompressed, unless it was cut. */
  readonly body: Buffer;
  /** The answer was longer than allowed, and `truncate` was asked for. */
  readonly truncated?: true;
}

/** First value of a header. @param name in lower case */
export function headerOf({ headers }: Pick<OutgoingResponse, 'headers'>, name: string): string | undefined {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1];
}

/** Every value of a header, such as `set-cookie`. @param name in lower case */
export function headersOf({ headers }: Pick<OutgoingResponse, 'headers'>, name: string): readonly string[] {
  return headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
}

const REDACTED: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'access-token',
  'proxy-authorization',
]);

/** Whether logs and errors show a header without its value. */
export function isRedacted(name: string): boolean {
  return REDACTED.has(name.toLowerCase());
}
