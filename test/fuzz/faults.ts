/**
 * `npm run fuzz -- faults`: can the random tests fail? Each file of test/faults/ plants one defect. Those in `queries/` show
 * a role too much or answer wrongly; those in `mutations/` let a role write too much or leave something half-done; those in
 * `metadata/` forget something that a change concerns, or serve what is not stored. The random test of that name must find
 * the defect. `--only TEXT` chooses by name (`--only mutations/`).
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Fault, plantFault, readFaults } from '../faults/faults.ts';
import type { FuzzKind } from './run.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
/** What a run of the random tests reads. */
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
  const missed: string[] = [];
  try {
    for (const path of COPIED) cpSync(join(checkout, path), join(copy, path), { recursive: true });
    symlinkSync(join(checkout, 'node_modules'), join(copy, 'node_modules'));
    for (const kind of new Set(faults.map((fault) => fault.kind))) {
      const without = await campaign(kind);
      if (without.code === 0) continue;
      console.log(`Without any fault the ${kind} must pass first:\n${without.output}`);
      return false;
    }
    for (const fault of faults) {
      const { held, report } = await findFault(copy, fault, () => campaign(fault.kind));
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
    const first = output.split('\n').find((line) => line.startsWith('Case ')) ?? '';
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
