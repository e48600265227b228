/**
 * One PostgreSQL for a whole test run: an embedded cluster, or the server that ENGINE_TEST_PG_URL names (its account
 * must be allowed to create databases). All databases of a run carry the run's prefix and are dropped at its end.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../compiler/offline/embedded.ts';
import { bundleThread } from './bundle.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgresUrl: string;
    readonly databasePrefix: string;
    /** Where test files leave what was written, and their secrets (see output.ts). */
    readonly outputFolder: string;
    /** Where the bundled metadata thread and compiler are (see bundle.ts). */
    readonly bundleFolder: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const databasePrefix = `engine_test_${randomBytes(4).toString('hex')}_`;
  project.provide('databasePrefix', databasePrefix);
  const outputFolder = await mkdtemp(join(tmpdir(), 'engine-test-output-'));
  project.provide('outputFolder', outputFolder);
  const bundleFolder = await bundleThread();
  project.provide('bundleFolder', bundleFolder);
  const named = process.env.ENGINE_TEST_PG_URL;
  const cluster = named ? undefined : await startEmbeddedPostgres();
  const url = named ?? cluster!.url;
  project.provide('postgresUrl', url);
  return async () => {
    await (cluster ? cluster.stop() : dropDatabases(url, databasePrefix));
    const found = await searchOutput(outputFolder, [new URL(url).password]);
    await rm(outputFolder, { recursive: true });
    await rm(bundleFolder, { recursive: true });
    if (found.length === 0) return;
    // An error here alone would be reported and not fail the run.
    process.exitCode = 1;
    throw new Error(`secrets were written:\n${found.join('\n')}`);
  };
}

/** The lines that hold a secret, of everything that the test files of the run made write. */
async function searchOutput(folder: string, more: readonly string[]): Promise<readonly string[]> {
  const secrets = new Set(more.filter((secret) => secret !== ''));
  const outputs: string[] = [];
  for (const name of await readdir(folder)) {
    const text = await readFile(join(folder, name), 'utf8');
    if (name.endsWith('.output')) outputs.push(text);
    else for (const line of text.split('\n')) if (line !== '') secrets.add(JSON.parse(line) as string);
  }
  return outputs.flatMap((output) =>
    [...secrets]
      .filter((secret) => output.includes(secret))
      .map((secret) => {
        const file = output.slice(0, output.indexOf('\n'));
        const line = output.split('\n').find((each) => each.includes(secret)) ?? '';
        return `${file}: ${line.replaceAll(secret, '[HERE]').slice(0, 500)}`;
      }),
  );
}

async function dropDatabases(url: string, prefix: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const found = await client.query<{ datname: string }>(
    'select datname from pg_database where starts_with(datname, $1)',
    [prefix],
  );
  for (const { datname } of found.rows) {
    await client.query(`drop database ${pg.escapeIdentifier(datname)} with (force)`);
  }
  await client.end();
}
