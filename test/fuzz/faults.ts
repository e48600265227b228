/**
 * `npm run fuzz -- faults`: are the property tests worth anything? Each patch of test/faults/ plants one defect of the
 * kind that shows a role too much, or answers wrongly; the random queries must find it. Those of test/faults/mutations/ are
 * of the kind that lets a role write too much, or leaves something half-done; the random mutations must find them.
 * Those of test/faults/metadata/ forget something that a change concerns, or serve what is not stored; the random operations
 * must find them.
 * `--only TEXT` chooses by name (`--only mutations/`).
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
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

export const fuzzFaults: FuzzKind = async ({ serverUrl, seed, cases = CASES, only = '' }) => {
  const patches = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.patch') && name.includes(only))
    .sort();
  const copy = mkdtempSync(join(tmpdir(), 'engine-faults-'));
  const campaign = (kind: Kind) =>
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
    for (const kind of new Set(patches.map(kindOf))) {
      const without = await campaign(kind);
      if (without.code === 0) continue;
      console.log(`Without any fault the ${kind} must pass first:\n${without.output}`);
      return false;
    }
    for (const patch of patches) {
      const found = await findFault(copy, join(folder, patch), () => campaign(kindOf(patch)));
      console.log(`${found.held ? 'found ' : 'MISSED'} ${patch.replace(/\.patch$/, '')}: ${found.report}`);
      if (!found.held) missed.push(patch);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  console.log(`${patches.length - missed.length} of ${patches.length} planted faults found, seed ${seed}.`);
  return missed.length === 0;
};

type Kind = 'queries' | 'mutations' | 'metadata';

/** Which campaign must find a fault; its patch's path below the folder of faults says it. */
function kindOf(patch: string): Kind {
  const [folderName] = patch.split(sep);
  return folderName === 'mutations' || folderName === 'metadata' ? folderName : 'queries';
}

/** Runs a campaign with the patch applied to the copy. */
async function findFault(
  copy: string,
  patch: string,
  campaign: () => Promise<Output>,
): Promise<{ held: boolean; report: string }> {
  const apply = ['apply', '--recount', '-C1', patch];
  const applied = await run(copy, 'git', apply);
  if (applied.code !== 0)
    return { held: false, report: `the patch no longer applies: ${applied.output.trim()}` };
  try {
    const { code, output } = await campaign();
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
