/** A server in a vocabulary, and requests to it as clients send them. */
import type { Vocabulary } from '../../runtime/core/vocabulary.ts';
import type { TestDatabase } from './postgres.ts';
import { startTestServer } from './server.ts';

export interface WordServer {
  readonly url: string;
  /** Status and parsed answer; the text where it is no JSON. */
  readonly send: (
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<{ readonly status: number; readonly answer: unknown; readonly headers: Headers }>;
  /** What it has written. */
  readonly output: () => string;
  readonly stop: () => Promise<void>;
}

/** As `startTestServer`, in a vocabulary. */
export async function startWordServer(
  vocabulary: Vocabulary,
  database: Pick<TestDatabase, 'url'>,
  options: Readonly<Record<string, string>> = {},
  variables: Readonly<Record<string, string>> = {},
): Promise<WordServer> {
  const { port, output, stop } = await startTestServer(database, options, variables, vocabulary);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    send: async (path, body, headers = {}) => {
      const response = await fetch(`${url}${path}`, {
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
        headers: { 'content-type': 'application/json', ...headers },
      });
      const text = await response.text();
      return { status: response.status, answer: parsed(text), headers: response.headers };
    },
    output,
    stop,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
