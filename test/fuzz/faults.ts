/**
 * `npm run fuzz -- faults`: can the random tests fail? Each file of test/faults/ plants one defect. Those in `queries/` show
 * a role too much or answer wrongly; those in `mutations/` let a role write too much or leave something half-done; those in
 * `metadata/` forget something that a change concerns, or serve what is not stored. The random test of that name must find
 * the defect; those in `facts/`, `permissions/` and `ledgers/` name a test of the test run instead. `--only TEXT` chooses by name (`--only mutations/`).
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Fault, type NamedTest, plantFault, readFaults } from '../faults/faults.ts';
import type { FuzzKind } from './run.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
/** What a run of the tests reads. */
const COPIED = [
  'compiler',
  'runtime',
  'templates',
  'test',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
];
const CASES = 3000;

export const fuzzFaults: FuzzKind = async ({ serverUrl, seed, cases = CASES, only = '' }) => {
  const faults = readFaults().filter(({ name }) => name.includes(only));
  const copy = mkdtempSync(join(tmpdir(), 'engine-faults-'));
  const campaign = (kind: string) =>
    run(
      copy,
      process.execPath,
      ['--import', 'tsx', 'test/fuzz/run.ts', kind, '--as-found', '--cases', `${cases}`, '--seed', `${seed}`],
      { ENGINE_TEST_PG_URL: serverUrl },
    );
  const named = ({ file, test }: NamedTest) =>
    run(
      copy,
      process.execPath,
      // The name is a pattern to Vitest.
      ['node_modules/vitest/vitest.mjs', 'run', file, '-t', test.replace(/[^\w\s]/g, '\\$&')],
      { ENGINE_TEST_PG_URL: serverUrl, NO_COLOR: '1' },
    );
  const find = ({ kind, foundBy }: Fault) => (foundBy ? named(foundBy) : campaign(kind));
  const missed: string[] = [];
  try {
    const filter = (path: string) => !path.endsWith('node_modules');
    for (const path of COPIED) cpSync(join(checkout, path), join(copy, path), { recursive: true, filter });
    symlinkSync(join(checkout, 'node_modules'), join(copy, 'node_modules'));
    const finders = new Map(faults.map((fault) => [JSON.stringify(fault.foundBy ?? fault.kind), fault]));
    for (const [finder, fault] of finders) {
      const without = await find(fault);
      if (without.code === 0) continue;
      console.log(`Without any fault ${finder} must pass first:\n${without.output}`);
      return false;
    }
    for (const fault of faults) {
      const { held, report } = await findFault(copy, fault, () => find(fault));
      console.log(`${held ? 'found ' : 'MISSED'} ${fault.name}: ${report}`);
      if (!held) missed.push(fault.name);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  console.log(`${faults.length - missed.length} of ${faults.length} planted faults found, seed ${seed}.`);
  return missed.length === 0;
};

/** Runs a campaign with the fault planted in the copy. */
async function findFault(
  copy: string,
  fault: Fault,
  campaign: () => Promise<Output>,
): Promise<{ held: boolean; report: string }> {
  let remove: () => void;
  try {
    remove = plantFault(fault, copy);
  } catch (error) {
    return { held: false, report: (error as Error).message };
  }
  try {
    const { code, output } = await campaign();
    const isFinding = (line: string) =>
      fault.foundBy ? line.includes('FAIL') && line.includes(fault.foundBy.test) : line.startsWith('Case ');
    const first = output.split('\n').find(isFinding)?.trim() ?? '';
    // Ending in any other way than with a failed case proves nothing.
    if (code === 1 && first !== '') return { held: true, report: first.slice(0, 150) };
    return { held: false, report: code === 0 ? `${cases(output)} passed` : output.slice(-500) };
  } finally {
    remove();
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
