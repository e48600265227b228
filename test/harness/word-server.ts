/** A server in a process of its own, in a vocabulary: a process has one. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';

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

/** Starts `engine serve --vocabulary WORD`. @throws Error with its output when it ends instead of listening */
export async function startWordServer(
  word: string,
  environment: Readonly<Record<string, string>>,
): Promise<WordServer> {
  const port = await freePort();
  const child = spawn(
    process.execPath,
    ['compiler/cli/bin.mjs', 'serve', '--vocabulary', word, '--server-port', String(port)],
    {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...environment },
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  const isReady = async () => {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    return answer?.ok ?? false;
  };
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(output);
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 200))]);
  }
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
    output: () => output,
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
