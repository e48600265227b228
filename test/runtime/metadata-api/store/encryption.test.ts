/** The metadata database is reached by the same rules of encryption as sources. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../../compiler/offline/embedded.ts';
import { CANONICAL } from '../../../../runtime/core/vocabulary.ts';
import { openMetadataStore } from '../../../../runtime/metadata-api/index.ts';

let cluster: EmbeddedPostgres;
let client: pg.Client;

beforeAll(async () => {
  cluster = await startEmbeddedPostgres();
  client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  const { certificate, key } = selfSigned();
  // Written by the server, whose files they must be.
  await writeFile('server.crt', certificate);
  await writeFile('server.key', key);
  await client.query('alter system set ssl = on');
  await client.query('select pg_reload_conf()');
});

afterAll(async () => {
  await client.end();
  await cluster.stop();
});

function selfSigned(): { readonly certificate: string; readonly key: string } {
  const folder = mkdtempSync(join(tmpdir(), 'engine-certificate-'));
  try {
    const [certificateFile, keyFile] = [join(folder, 'crt'), join(folder, 'key')];
    const files = ['-keyout', keyFile, '-out', certificateFile];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=nobody', ...files],
      { stdio: 'ignore' },
    );
    return { certificate: readFileSync(certificateFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function writeFile(name: string, text: string): Promise<void> {
  const lines = pg.escapeLiteral(text);
  await client.query(
    `copy (select unnest(string_to_array(${lines}, e'\\n'))) to program 'umask 077; cat > ${name}'`,
  );
}

async function encrypted(): Promise<boolean[]> {
  const { rows } = await client.query<{ ssl: boolean }>(
    "select ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'engine metadata'",
  );
  return rows.map(({ ssl }) => ssl);
}

test.each([
  ['require', true],
  ['prefer', true],
  ['disable', false],
])('sslmode=%s: encrypted %s', async (mode, expected) => {
  const url = new URL(cluster.url);
  url.searchParams.set('sslmode', mode);
  const store = await openMetadataStore(url.href, CANONICAL);
  try {
    expect(await store.readVersion()).toBe(0);
    expect(await encrypted()).toEqual([expected]);
  } finally {
    await store.close();
  }
});

test('sslmode=verify-full refuses a certificate that nobody vouches for', async () => {
  const url = new URL(cluster.url);
  url.searchParams.set('sslmode', 'verify-full');
  await expect(openMetadataStore(url.href, CANONICAL)).rejects.toThrow('self-signed certificate');
});
