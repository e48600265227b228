/** The server as a process of its own, on a free port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const checkoutProgram = fileURLToPath(new URL('../../compiler/cli/bin.mjs', import.meta.url));

export interface ServerProcess {
  readonly child: ChildProcess;
  readonly port: number;
}

export interface ServerProcessOptions {
  /** Path of the command; by default that of the checkout, which loads TypeScript. */
  readonly program?: string;
  /** Options of the server, as environment variables without their prefix. */
  readonly environment?: Readonly<Record<string, string>>;
  /** A command that runs it: `faketime -f +5m`. */
  readonly wrapper?: readonly string[];
}

/** Starts a server on a database, and waits until it listens. @param flags of Node.js */
export async function startServerProcess(
  url: string,
  flags: readonly string[] = [],
  { program = checkoutProgram, environment = {}, wrapper = [] }: ServerProcessOptions = {},
): Promise<ServerProcess> {
  const [command, ...args] = [...wrapper, process.execPath, ...flags, program, 'serve'];
  const child = spawn(command!, args, {
    env: {
      PATH: process.env.PATH,
      ENGINE_GRAPHQL_DATABASE_URL: url,
      ENGINE_GRAPHQL_SERVER_PORT: '0',
      ENGINE_GRAPHQL_ENABLED_LOG_TYPES: 'startup',
      ...Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [`ENGINE_GRAPHQL_${name}`, value]),
      ),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for (;;) {
    const [chunk] = (await once(child.stdout!, 'data')) as [Buffer];
    text += chunk;
    const port = /"the server listens","port":(\d+)/.exec(text)?.[1];
    if (port !== undefined) return { child, port: Number(port) };
  }
}
