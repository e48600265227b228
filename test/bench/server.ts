/** The server as a process of its own, on a free port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../compiler/cli/bin.mjs', import.meta.url));

export interface ServerProcess {
  readonly child: ChildProcess;
  readonly port: number;
}

/** Starts a server on a database, and waits until it listens. @param flags of Node.js */
export async function startServerProcess(url: string, flags: readonly string[] = []): Promise<ServerProcess> {
  const child = spawn(process.execPath, [...flags, program, 'serve'], {
    env: {
      PATH: process.env.PATH,
      ENGINE_GRAPHQL_DATABASE_URL: url,
      ENGINE_GRAPHQL_SERVER_PORT: '0',
      ENGINE_GRAPHQL_ENABLED_LOG_TYPES: 'startup',
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
