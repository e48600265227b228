/**
 * `npm run fuzz -- faults`: are the property tests worth anything? Each patch of test/faults/ plants one defect of the
 * kind that shows a role too much, or answers wrongly; the random queries must find it.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FuzzKind } from './run.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(checkout, 'test/faults');
/** What a run of the property tests reads. */
const COPIED = [
  'compiler',
  'runtime',
  'templates',
  'test/fuzz',
  'test/harness',
  'package.json',
  'tsconfig.json',
];
const CASES = 3000;

export const fuzzFaults: FuzzKind = async ({ serverUrl, seed, cases = CASES }) => {
  const patches = readdirSync(folder)
    .filter((name) => name.endsWith('.patch'))
    .sort();
  const copy = mkdtempSync(join(tmpdir(), 'engine-faults-'));
  const queries = () =>
    run(
      copy,
      process.execPath,
      [
        '--import',
        'tsx',
        'test/fuzz/run.ts',
        'queries',
        '--as-found',
        '--cases',
        `${cases}`,
        '--seed',
        `${seed}`,
      ],
      { ENGINE_TEST_PG_URL: serverUrl },
    );
  const missed: string[] = [];
  try {
    for (const path of COPIED) cpSync(join(checkout, path), join(copy, path), { recursive: true });
    symlinkSync(join(checkout, 'node_modules'), join(copy, 'node_modules'));
    const without = await queries();
    if (without.code !== 0) {
      console.log(`Without any fault the queries must pass first:\n${without.output}`);
      return false;
    }
    for (const patch of patches) {
      const found = await findFault(copy, join(folder, patch), queries);
      console.log(`${found.held ? 'found ' : 'MISSED'} ${basename(patch, '.patch')}: ${found.report}`);
      if (!found.held) missed.push(patch);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  console.log(`${patches.length - missed.length} of ${patches.length} planted faults found, seed ${seed}.`);
  return missed.length === 0;
};

/** Runs the queries with the patch applied to the copy. */
async function findFault(
  copy: string,
  patch: string,
  queries: () => Promise<Output>,
): Promise<{ held: boolean; report: string }> {
  const apply = ['apply', '--recount', '-C1', patch];
  const applied = await run(copy, 'git', apply);
  if (applied.code !== 0)
    return { held: false, report: `the patch no longer applies: ${applied.output.trim()}` };
  try {
    const { code, output } = await queries();
    const first = output.split('\n').find((line) => line.startsWith('Case ')) ?? '';
    // Ending in any other way than with a failed case proves nothing.
    if (code === 1 && first !== '') return { held: true, report: first.slice(0, 150) };
    return { held: false, report: code === 0 ? `${cases(output)} passed` : output.slice(-500) };
  } finally {
    await run(copy, 'git', [...apply, '--reverse']);
  }
}

function cases(output: string): string {
  return /\d+ cases/.exec(output)?.[0] ?? 'they';
}

interface Output {
  readonly code: number | null;
  readonly output: string;
}

function run(
  directory: string,
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Output> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: directory, env: { ...process.env, ...environment } });
    let output = '';
    child.stdout.on('data', (text) => {
      output += text;
    });
    child.stderr.on('data', (text) => {
      output += text;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}
