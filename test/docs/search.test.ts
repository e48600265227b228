/** `engine docs`: fourteen ordinary questions have their page among the first answers of one search. */
import { expect, test } from 'vitest';
import { run } from '../../compiler/cli/cli.ts';

async function docs(...words: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  const out = { stdout: '', stderr: '' };
  const status = await run(['docs', ...words], {
    environment: {},
    stdout: (text) => {
      out.stdout += text;
    },
    stderr: (text) => {
      out.stderr += text;
    },
  });
  return { status, ...out };
}

/** What one asks, the words, and the page. */
const QUESTIONS: readonly (readonly [question: string, words: readonly string[], page: string])[] = [
  ['serve my own database', ['own', 'database'], 'start.md'],
  ['what is a permission written like', ['select_permissions'], 'metadata.md'],
  ['and a relationship', ['foreign_key_constraint_on'], 'metadata.md'],
  ['which operators are there', ['_ilike'], 'operators.md'],
  ['configure JWT', ['jwt', 'claims_map'], 'authentication.md'],
  ['the webhook for sessions', ['auth-hook'], 'authentication.md'],
  ['TLS to the database', ['sslmode'], 'tls.md'],
  ['which PostgreSQL', ['versions'], 'database.md'],
  ['rights of the database user', ['rights'], 'database.md'],
  ['in place of which other', ['another', 'engine'], 'migrate.md'],
  ['PgBouncer', ['pgbouncer'], 'operate.md'],
  ['backup', ['backup'], 'operate.md'],
  ['read replicas', ['read', 'replicas'], 'replicas.md'],
  ['action handlers', ['handler', 'action'], 'actions.md'],
  ['retries of events', ['num_retries'], 'metadata.md'],
  ['rate limits', ['rate_limit'], 'metadata.md'],
  ['camelCase', ['camelCase'], 'names.md'],
  ['Prisma migrations', ['prisma'], 'migrations.md'],
  ['keys by address', ['jwk_url'], 'authentication.md'],
  ['a code of an error', ['constraint-violation'], 'errors.md'],
];

test.each(QUESTIONS)('%s', async (_, words, page) => {
  const { status, stdout } = await docs(...words);
  expect(status).toBe(0);
  const pages = [...stdout.matchAll(/^(\S+\.md):\d+ {2}/gm)].map(([, name]) => name!);
  expect([...new Set(pages)].slice(0, 5)).toContain(page);
});

test('prints a page by its name, and the index without words', async () => {
  expect((await docs('Operators')).stdout).toMatch(/^# Operators\n/);
  expect((await docs('operators.md')).stdout).toMatch(/^# Operators\n/);
  expect((await docs()).stdout).toMatch(/^# Documentation\n/);
});

test('says so where nothing is found', async () => {
  const { status, stderr } = await docs('operatrs');
  expect([status, stderr]).toEqual([1, expect.stringContaining('Did you mean the page operators.md?')]);
});
