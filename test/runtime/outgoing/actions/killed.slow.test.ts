/** A server that is killed in the middle of asynchronous calls: each call whose id it answered is made, by the next one if need be. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test, vi } from 'vitest';
import { freePort } from '../../../harness/free-port.ts';
import { answering, Handler } from '../../../harness/handler.ts';
import { serve } from '../../../harness/server.ts';

const CALLS = 60;
/** The server is killed when its handler has answered so many. */
const BEFORE_KILL = 15;

const checkout = fileURLToPath(new URL('../../../..', import.meta.url));
const handler = new Handler();
let child: ChildProcess | undefined;

afterAll(() => {
  child?.kill('SIGKILL');
  handler.close();
});

const metadata = {
  version: 3,
  sources: [],
  custom_types: { objects: [{ name: 'Done', fields: [{ name: 'n', type: 'Int!' }] }] },
  actions: [
    {
      name: 'job',
      definition: {
        kind: 'asynchronous',
        handler: '{{HANDLER}}/job',
        output_type: 'Done',
        arguments: [{ name: 'n', type: 'Int!' }],
      },
    },
  ],
};

async function ask(port: number, query: string): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/graphql`, {
    method: 'POST',
    body: JSON.stringify({ query }),
  });
  const { data } = (await response.json()) as { readonly data: Readonly<Record<string, unknown>> };
  return data;
}

test('a server killed in the middle loses no call, and makes none twice that has ended', async () => {
  await handler.listen();
  const first = await serve({ metadata, variables: { HANDLER: handler.url } });
  await first.stop();

  const port = await freePort();
  child = spawn(process.execPath, ['compiler/cli/bin.mjs', 'serve', '--server-port', String(port)], {
    cwd: checkout,
    env: { ...process.env, ENGINE_GRAPHQL_DATABASE_URL: first.database.url, HANDLER: handler.url },
    stdio: 'ignore',
  });
  await vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200), {
    timeout: 60_000,
    interval: 50,
  });
  let answered = 0;
  handler.answer = (call, response) => {
    const { n } = (call.json as { readonly input: { readonly n: number } }).input;
    // Some hang, so that the kill meets running calls.
    if (n % 3 === 0) return;
    answered += 1;
    answering({ n })(call, response);
  };
  const ids = new Map<string, number>();
  const begun = Array.from({ length: CALLS }, async (_, n) => {
    try {
      const { job } = await ask(port, `mutation { job(n: ${n}) }`);
      ids.set(job as string, n);
    } catch {
      // Killed before it answered: the call may be stored or not.
    }
  });
  await expect.poll(() => answered, { interval: 5 }).toBeGreaterThan(BEFORE_KILL);
  child.kill('SIGKILL');
  await Promise.all(begun);
  const rows = await first.database.query<{ id: string; status: string }>(
    'select id, status from engine_catalog.action_log',
  );
  const ended = new Set(rows.filter(({ status }) => status === 'completed').map(({ id }) => id));
  // It was killed in the middle: otherwise this proves nothing.
  expect(rows.filter(({ status }) => status === 'processing').length).toBeGreaterThan(0);
  expect(ids.size).toBeGreaterThan(0);

  handler.calls = [];
  handler.answer = (call, response) => {
    const { n } = (call.json as { readonly input: { readonly n: number } }).input;
    answering({ n })(call, response);
  };
  // The lease of the dead one is over. Later the next one could be an owner too.
  await first.database.query(`update engine_catalog.instances set seen_at = now() - interval '31 seconds'
    where id in (select owner from engine_catalog.action_log)`);
  const second = await serve({ database: first.database, variables: { HANDLER: handler.url } });
  try {
    const open = () =>
      first.database.query(`select from engine_catalog.action_log where status <> 'completed'`);
    await expect.poll(open).toHaveLength(0);
    for (const [id, n] of ids)
      expect(await ask(second.port, `{ job(id: "${id}") { output { n } } }`)).toEqual({
        job: { output: { n } },
      });
    const repeated = handler.calls.map(({ json }) => (json as { input: { n: number } }).input.n);
    expect(new Set(repeated).size).toBe(repeated.length);
    for (const id of ended) expect(repeated).not.toContain(ids.get(id));
  } finally {
    await second.stop();
  }
}, 120_000);
