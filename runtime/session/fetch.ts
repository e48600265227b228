/** Calls to others that decide who is asking: bounded in time and size, never led to another place. */

export interface FetchedText {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface FetchOptions {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds for the whole answer. */
  readonly timeout: number;
  /** Bytes of the answer. */
  readonly largest: number;
}

/**
 * Fetches a text. A redirect is not followed but answered as it is: what is sent may be a credential, and what is trusted
 * is the configured address. Certificates are verified.
 * @throws Error when there is no answer in time, or it is too large
 */
export async function fetchText(url: string, options: FetchOptions): Promise<FetchedText> {
  const { timeout, largest, method = 'GET', headers = {}, body } = options;
  const response = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeout),
    ...(body === undefined ? {} : { body }),
  });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > largest) throw new Error(`the answer is larger than ${largest} bytes`);
    chunks.push(chunk as Uint8Array);
  }
  return { status: response.status, headers: response.headers, text: Buffer.concat(chunks).toString('utf8') };
}

/** Why there was no answer, in a few words without addresses: `ECONNREFUSED`, or the error's own. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  const { code } = (cause ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : message;
}

/** Whether a text is an address that can be fetched: http or https, without credentials, which belong into headers. */
export function isFetchable(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}
