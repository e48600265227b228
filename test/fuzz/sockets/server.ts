/** The server in a process of its own, so that an end of it is seen. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../harness/free-port.ts';
import { ADMIN_SECRET, worldMetadata } from './world.ts';

/** What the server says of itself. */
interface Inside {
  /** Milliseconds of processor time for which nothing else was served, since the last question. */
  readonly stall: number;
  /** Bytes. */
  readonly heap: number;
  /** Properties of prototypes that were not there at the start. */
  readonly inherited: readonly string[];
}

export interface FuzzedServer {
  readonly port: number;
  /** Why the process ended; undefined: it runs. */
  readonly ended: () => string | undefined;
  /** Defects that it logged since the last call. */
  readonly defects: () => readonly string[];
  /** @param collects garbage is collected first */
  readonly inside: (collects?: boolean) => Promise<Inside>;
  readonly stop: () => Promise<void>;
}

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** Milliseconds that a start may take on a busy machine. */
const STARTS_WITHIN = 120_000;

/** @param options environment variables without their prefix */
export async function startFuzzedServer(
  databaseUrl: string,
  peer: string,
  options: Readonly<Record<string, string>> = {},
): Promise<FuzzedServer> {
  const port = await freePort();
  const child = spawn(
    process.execPath,
    ['--expose-gc', '--import', path('inside.mjs'), path('../../../compiler/cli/bin.mjs'), 'serve'],
    {
      env: {
        PATH: process.env.PATH,
        ENGINE_GRAPHQL_DATABASE_URL: databaseUrl,
        ENGINE_GRAPHQL_SERVER_HOST: '127.0.0.1',
        ENGINE_GRAPHQL_SERVER_PORT: String(port),
        ENGINE_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
        ENGINE_GRAPHQL_UNAUTHORIZED_ROLE: 'anonymous',
        ENGINE_GRAPHQL_ENABLED_APIS: 'metadata,graphql,pgdump,config,developer,metrics',
        ENGINE_GRAPHQL_ENABLE_RELAY: 'true',
        ENGINE_GRAPHQL_ENABLE_CONSOLE: 'true',
        ENGINE_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true',
        ENGINE_GRAPHQL_ENABLE_PERSISTED_QUERIES: 'true',
        ENGINE_GRAPHQL_ENABLED_LOG_TYPES: 'startup,http-log,websocket-log,query-log',
        ENGINE_GRAPHQL_EVENTS_FETCH_INTERVAL: '1000',
        // Few, so that it shows if any is counted for ever.
        ENGINE_GRAPHQL_MAX_CONCURRENT_REQUESTS: '400',
        ...Object.fromEntries(
          Object.entries(options).map(([name, value]) => [`ENGINE_GRAPHQL_${name}`, value]),
        ),
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  );
  const defects: string[] = [];
  let errors = '';
  let rest = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if (DEFECT.test(line)) defects.push(describeDefect(line));
  });

  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-4000);
  });
  const ended = () =>
    child.exitCode === null && child.signalCode === null
      ? undefined
      : `the process ended with ${child.exitCode ?? child.signalCode}: ${firstLines(errors)}`;
  const gone = once(child, 'exit').then(() => {
    throw new Error('the server ended');
  });
  gone.catch(() => {});
  const server: FuzzedServer = {
    port,
    ended,
    defects: () => defects.splice(0),
    inside: async (collects = false) => {
      if (ended() !== undefined) throw new Error('the server ended');
      const answer = once(child, 'message');
      child.send(collects);
      return (await Promise.race([answer, gone]))[0] as Inside;
    },
    stop: async () => {
      if (ended() !== undefined) return;
      child.kill('SIGKILL');
      await gone.catch(() => {});
    },
  };
  try {
    await ready(server);
    await applyMetadata(server, peer);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

async function ready({ port, ended }: FuzzedServer): Promise<void> {
  const until = performance.now() + STARTS_WITHIN;
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (answer?.status === 200) return;
    const why = ended() ?? (performance.now() > until ? 'the server does not get ready' : undefined);
    if (why !== undefined) throw new Error(why);
    await delay(200);
  }
}

export async function applyMetadata({ port }: FuzzedServer, peer: string): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/metadata`, {
    method: 'POST',
    headers: { 'x-engine-admin-secret': ADMIN_SECRET },
    body: JSON.stringify({ type: 'replace_metadata', args: worldMetadata(peer) }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

/** Lines that say that something happened which nobody expected. */
const DEFECT = /unhandled-internal-error|Recording outcomes failed|failed in an unexpected way/;

/** The error and its place, which are the same for the same defect. */
function describeDefect(line: string): string {
  const error = (JSON.parse(line) as { detail: { error?: LoggedError | string; message?: string } }).detail;
  const parts: string[] = [];
  if (error.message !== undefined) parts.push(error.message);
  let cause = error.error;
  while (typeof cause === 'object') {
    const place = /\n +at (?:async )?(.*)/
      .exec(cause.stack ?? '')?.[1]
      ?.replace(/\(?(?:file:\/\/)?[^ ()]*\/(?=runtime|node_modules)/, '(');
    parts.push(`${firstLines(cause.stack ?? cause.message, 1)} at ${place ?? '?'}`);
    cause = cause.cause;
  }
  return (typeof cause === 'string' ? [...parts, cause] : parts).join(' <- ');
}

interface LoggedError {
  readonly message: string;
  readonly stack?: string;
  readonly cause?: LoggedError | string;
}

function firstLines(text: string, most = 12): string {
  return text.split('\n', most).join('\n').slice(0, 1000);
}
