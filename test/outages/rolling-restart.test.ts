/** Two servers behind HAProxy are restarted in turn while clients ask: no request fails. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../harness/free-port.ts';
import { createTestDatabase } from '../harness/postgres.ts';

const program = fileURLToPath(new URL('../../compiler/cli/bin.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'engine-haproxy-'));
const processes = new Set<ChildProcess>();
const CLIENTS = 8;

function hasHaproxy(): boolean {
  try {
    execFileSync('haproxy', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    console.log('HAProxy is not installed (Debian: haproxy): rolling restarts are not tested');
    return false;
  }
}

afterAll(() => {
  for (const child of processes) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

function run(command: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const child = spawn(command, args, { env: { ...process.env, ...environment }, stdio: 'ignore' });
  processes.add(child);
  return child;
}

async function startHaproxy(servers: readonly number[]): Promise<number> {
  const port = await freePort();
  const settings = join(folder, 'haproxy.cfg');
  // Long enough between checks that the delay of the shutdown matters; no request is ever tried on another server.
  writeFileSync(
    settings,
    `defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  retries 0
frontend clients
  bind 127.0.0.1:${port}
  default_backend servers
backend servers
  option httpchk GET /readyz
  default-server check inter 500ms fall 1 rise 1
${servers.map((each) => `  server s${each} 127.0.0.1:${each}`).join('\n')}
`,
  );
  run('haproxy', ['-q', '-f', settings]);
  return port;
}

test.runIf(hasHaproxy())(
  'no request fails while each of two servers is restarted',
  async () => {
    const database = await createTestDatabase(
      'create table item (id int primary key); insert into item values (1)',
    );
    const ports = [await freePort(), await freePort()];
    const start = async (port: number) => {
      const child = run(process.execPath, [program, 'serve'], {
        ENGINE_GRAPHQL_DATABASE_URL: database.url,
        ENGINE_GRAPHQL_SERVER_PORT: String(port),
        ENGINE_GRAPHQL_SERVER_HOST: '127.0.0.1',
        ENGINE_GRAPHQL_SHUTDOWN_DELAY: '3',
      });
      while ((await get(port, '/readyz')) !== 200) await delay(100);
      return child;
    };
    const servers = [await start(ports[0]!), await start(ports[1]!)];
    const track = { type: 'pg_track_table', args: { table: 'item' } };
    expect((await ask(ports[0]!, '/v1/metadata', track)).status).toBe(200);
    const balancer = await startHaproxy(ports);
    while ((await get(balancer, '/healthz')) !== 200) await delay(100);

    let isDone = false;
    let answered = 0;
    const failures: string[] = [];
    const agent = new Agent({ keepAlive: true });
    const client = async () => {
      while (!isDone) {
        try {
          const { status, text } = await ask(balancer, '/v1/graphql', { query: '{ item { id } }' }, agent);
          if (status === 200 && text === '{"data":{"item":[{"id":1}]}}') answered += 1;
          else failures.push(`${status} ${text}`);
        } catch (error) {
          failures.push(String(error));
        }
        await delay(10);
      }
    };
    const clients = Array.from({ length: CLIENTS }, client);
    for (const [index, port] of ports.entries()) {
      const before = answered;
      const old = servers[index]!;
      const ended = once(old, 'exit');
      old.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      await start(port);
      // HAProxy sees it again before the other one goes.
      await delay(2000);
      expect(answered).toBeGreaterThan(before + 100);
    }
    isDone = true;
    await Promise.all(clients);
    agent.destroy();
    expect(failures).toEqual([]);
  },
  300_000,
);

async function get(port: number, path: string): Promise<number> {
  return (await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined))?.status ?? 0;
}

function ask(
  port: number,
  path: string,
  body: object,
  agent?: Agent,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const asked = request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode!, text }));
      response.on('error', reject);
    });
    asked.on('error', reject);
    asked.end(JSON.stringify(body));
  });
}
