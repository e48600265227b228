/** The example's database, and its compile, for `npm run generate` and the tests. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const checkout = fileURLToPath(new URL('..', import.meta.url));

/** Creates the tables and rows in one transaction, unless they are there. Returns whether it did. */
export async function fillDatabase(databaseUrl: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const found = await client.query("select to_regclass('public.ticket') is not null as filled");
    if (found.rows[0].filled) return false;
    await client.query('begin');
    for (const file of ['schema.sql', 'seed.sql']) {
      await client.query(readFileSync(`${checkout}/examples/helpdesk/${file}`, 'utf8'));
    }
    await client.query('commit');
    await client.query('analyze');
    return true;
  } finally {
    await client.end();
  }
}

/**
 * Runs `engine compile` for the example, as a user would, into `generated/`. Returns the exit status and all it said;
 * further options, such as `--check`, are passed on.
 */
export async function compileExample(
  databaseUrl: string,
  ...options: readonly string[]
): Promise<{ status: number; output: string }> {
  const metadata = ['--metadata', 'examples/helpdesk/metadata', '--out', 'generated'];
  const compile = spawn(process.execPath, ['compiler/cli/bin.mjs', 'compile', ...metadata, ...options], {
    cwd: checkout,
    // The address goes through the environment: the arguments of a process can be read by every user.
    env: { ...process.env, ENGINE_GRAPHQL_DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: Buffer[] = [];
  compile.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  compile.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  const status = await new Promise<number>((done) => compile.once('close', (code) => done(code ?? 1)));
  return { status, output: Buffer.concat(output).toString().trim() };
}
