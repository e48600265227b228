/** A server that is killed in the middle of changes: nothing that it acknowledged is lost, and what is stored is whole. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { freePort } from '../../harness/free-port.ts';
import { createTestDatabase } from '../../harness/postgres.ts';
import { send, startTestServer } from '../../harness/server.ts';

const WRITES = 100;
/** The server is killed once it has acknowledged so many, while more are under way. */
const BEFORE_KILL = [7, 31];

const checkout = fileURLToPath(new URL('../../..', import.meta.url));
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const roleOf = (index: number) => `role_${String(index).padStart(3, '0')}`;

test.each(BEFORE_KILL)(
  'a server killed after %i acknowledged changes has lost none of them',
  async (count) => {
    const database = await createTestDatabase('create table item (id int primary key, owner int)');
    const port = await freePort();
    const child = spawn(process.execPath, ['compiler/cli/bin.mjs', 'serve', '--server-port', String(port)], {
      cwd: checkout,
      env: { ...process.env, ENGINE_GRAPHQL_DATABASE_URL: database.url },
      stdio: 'ignore',
    });
    children.push(child);
    const address = `http://127.0.0.1:${port}`;
    await answering(address);
    expect((await change(address, 'pg_track_table', { table: 'item' })).status).toBe(200);

    const acknowledged = new Set<string>();
    const unanswered: string[] = [];
    // Several at once, so that the kill meets changes in every state.
    const writes = Array.from({ length: WRITES }, async (_, index) => {
      const role = roleOf(index);
      const permission = { columns: ['id'], filter: { owner: { _eq: index } } };
      try {
        const answer = await change(address, 'pg_create_select_permission', {
          table: 'item',
          role,
          permission,
        });
        if (answer.status === 200) acknowledged.add(role);
        if (acknowledged.size === count) child.kill('SIGKILL');
      } catch {
        unanswered.push(role);
      }
    });
    await Promise.all(writes);
    expect(acknowledged.size).toBeGreaterThanOrEqual(count);
    // It was killed in the middle: otherwise this proves nothing.
    expect(unanswered.length).toBeGreaterThan(0);

    const server = await startTestServer(database);
    try {
      const metadata = await read(server, 'export_metadata');
      const { sources } = metadata as { sources: { tables: { select_permissions: { role: string }[] }[] }[] };
      const stored = sources[0]!.tables[0]!.select_permissions.map(({ role }) => role);
      expect([...acknowledged].filter((role) => !stored.includes(role))).toEqual([]);
      // Each stored change is one version: the row and its version were written together or not at all.
      const [row] = await database.query<{ resource_version: number; told: number }>(
        `select m.resource_version, n.resource_version as told
       from engine_catalog.metadata m, engine_catalog.schema_notifications n`,
      );
      expect(row).toEqual({ resource_version: 2 + stored.length, told: 2 + stored.length });
      expect(await read(server, 'get_inconsistent_metadata')).toEqual([]);
      for (const role of stored) {
        const { json } = await send(server, '/v1/graphql', {
          headers: { 'x-engine-role': role },
          body: { query: '{ item { id } }' },
        });
        expect(json, role).toEqual({ data: { item: [] } });
      }
    } finally {
      await server.stop();
    }
  },
);

async function read(server: Parameters<typeof send>[0], type: string): Promise<unknown> {
  return (await send(server, '/v1/metadata', { body: { type, args: {} } })).json;
}

function change(address: string, type: string, args: object): Promise<Response> {
  return fetch(`${address}/v1/metadata`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type, args }),
  });
}

/** Returns when the server answers; the test's timeout ends it otherwise. */
async function answering(address: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${address}/healthz`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((done) => setTimeout(done, 50));
  }
}
