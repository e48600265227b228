/** The commands of docs/start.md, in their order, in an empty folder, on a database with a table of users and one of notes. */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { eachInFolder } from '../harness/folder.ts';
import { freePort } from '../harness/free-port.ts';
import { createTestDatabase } from '../harness/postgres.ts';

const folder = eachInFolder();
const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(`${root}docs/start.md`, 'utf8');

vi.setConfig({ testTimeout: 300_000 });

/** Lines of the page's shell blocks. */
function commands(): string[] {
  return [...page.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block]) => block!.trim().split('\n'));
}

/** A command as the page has it; the checkout is the package. */
function shell(command: string): string {
  return command.replaceAll('npx engine', `${process.execPath} ${root}compiler/cli/bin.mjs`);
}

test('its commands lead to an API in which a user sees own rows', async () => {
  const { url } = await createTestDatabase(
    "create table users (id int primary key, name text); create table notes (id serial primary key, user_id int not null references users, title text, body text); insert into users values (1, 'Ann'), (2, 'Bob'); insert into notes (user_id, title) values (1, 'mine'), (2, 'hers')",
  );
  const run = (command: string) => {
    const environment = { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: url };
    const { status, stdout, stderr } = spawnSync('sh', ['-c', shell(command)], {
      cwd: folder.at(),
      encoding: 'utf8',
      env: environment,
    });
    expect({ command, status, stderr: status === 0 ? '' : stderr }).toEqual({
      command,
      status: 0,
      stderr: '',
    });
    return stdout;
  };
  const all = commands();
  const serve = all.findIndex((command) => command.includes('engine serve'));
  const outputs = all.slice(0, serve - 1).map(run);
  const next = outputs[0]!.match(/^ {2}engine (?!dev$).*$/gm)!.map((command) => `npx ${command.trim()}`);
  expect(next).toHaveLength(2);
  for (const command of next) run(command);
  // The page shows what the first proposal prints.
  const [, shown] = /```\n(public\.notes .*?)```/s.exec(page)!;
  expect(outputs[1]).toContain(shown);

  const port = await freePort();
  const server = spawn('sh', ['-c', `${all[serve - 1]}; exec ${shell(all[serve]!)} --server-port ${port}`], {
    cwd: folder.at(),
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
    stdio: 'ignore',
  });
  try {
    const secret = /ADMIN_SECRET='(.*)'/.exec(readFileSync(folder.at('.env'), 'utf8'))![1]!;
    const ask = async (headers: Record<string, string>) => {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query: '{ notes { title user { name } } }' }),
      }).catch(() => undefined);
      return answer?.json();
    };
    const user = { 'x-engine-admin-secret': secret, 'x-engine-role': 'user', 'x-engine-user-id': '1' };
    await expect
      .poll(() => ask(user), { timeout: 60_000, interval: 200 })
      .toEqual({ data: { notes: [{ title: 'mine', user: { name: 'Ann' } }] } });
    expect(await ask({})).toMatchObject({ errors: [{ extensions: { code: 'access-denied' } }] });
  } finally {
    server.kill();
  }
  for (const command of all.slice(serve + 1))
    run(command.includes('introspect') ? `set -a; . ./.env; set +a; ${command}` : command);
});
