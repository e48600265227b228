/** `engine events` against a running server. */
import { expect, test } from 'vitest';
import { engineIn } from '../../harness/command-line.ts';
import { openEventsTest } from '../../harness/events.ts';

const events = openEventsTest('create table item (id serial primary key, name text)');

test('lists, shows and redelivers events, pauses and resumes a trigger', async () => {
  const run = (name: string, ...more: string[]) =>
    engineIn({}, 'events', name, '--endpoint', `http://127.0.0.1:${events.server.port}`, ...more);
  events.webhook.respond = (_call, response) => {
    response.statusCode = 500;
    response.end('broken');
  };
  await events.trigger('told', { insert: { columns: '*', payload: ['name'] } }, async () => {
    expect(await run('list', 'told')).toMatchObject({ status: 0, stdout: 'No events.\n' });
    await events.database.query("insert into item (name) values ('a')");
    await expect
      .poll(async () => (await run('list', 'told')).stdout)
      .toMatch(/INSERT {3}error {3}1 attempt\n$/);
    const [id] = (await run('list', 'told', '--status', 'error')).stdout.split(' ');
    expect((await run('list', 'told', '--status', 'pending')).stdout).toBe('No events.\n');
    expect((await run('show', id!)).stdout).toMatch(/"name": "a"[\s\S]*\ncall .* {3}500 {3}"broken"\n$/);
    expect(await run('pause', 'told')).toMatchObject({ status: 0 });
    expect((await run('redeliver', 'told')).stdout).toBe('1 event is delivered again.\n');
    expect((await run('list', 'told', '--status', 'pending')).stdout).toContain(id);
    expect(events.webhook.calls).toHaveLength(1);
    events.webhook.respond = (_call, response) => response.end();
    expect(await run('resume', 'told')).toMatchObject({ status: 0 });
    await events.received(2);
    await expect.poll(async () => (await run('list', 'told')).stdout).toContain('delivered');
    expect((await run('redeliver', id!)).stdout).toBe('1 event is delivered again.\n');
    await events.received(3);
  });
  const refused = await run('pause', 'none');
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain('event trigger "none" does not exist');
});
