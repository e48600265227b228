/** PgBouncer in transaction mode in front of a server, where it is installed (Debian's package `pgbouncer`). */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './free-port.ts';

export interface PgBouncer {
  /** Address of the server through it. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Whether the program is there. */
export function hasPgBouncer(): boolean {
  try {
    execFileSync('pgbouncer', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Starts it with ten backends for each database. It lets go of idle ones at once, so that databases can be dropped and copied. */
export async function startPgBouncer(serverUrl: string): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'engine-pgbouncer-'));
  const server = new URL(serverUrl);
  const url = new URL(serverUrl);
  url.port = String(await freePort());
  const users = join(folder, 'users.txt');
  const settings = join(folder, 'pgbouncer.ini');
  writeFileSync(users, `"${decodeURIComponent(server.username)}" "${decodeURIComponent(server.password)}"\n`);
  writeFileSync(
    settings,
    `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${url.port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
max_client_conn = 2000
default_pool_size = 10
server_idle_timeout = 0.05
`,
  );
  // It does not run as root.
  const account = process.getuid?.() === 0 ? Number(execFileSync('id', ['-u', 'nobody'])) : undefined;
  if (account !== undefined) for (const path of [folder, users, settings]) chownSync(path, account, account);
  chmodSync(users, 0o600);
  const child = spawn('pgbouncer', ['-q', settings], {
    stdio: ['ignore', 'ignore', 'inherit'],
    uid: account,
  });
  await answers(url.href);
  return {
    url: url.href,
    stop: async () => {
      await end(child);
      rmSync(folder, { recursive: true });
    },
  };
}

async function answers(url: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (tries === 50) throw error;
      await delay(100);
    }
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill();
  await new Promise((resolve) => child.once('exit', resolve));
}
