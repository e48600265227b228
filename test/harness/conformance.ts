/**
 * Runs the conformance cases that stand beside the project, on an embedded PostgreSQL, against a server started from this
 * checkout. Arguments go to the cases' own runner (`--area foundation`, `--suite RE`, `--verbose` …). A failed case
 * that test/conformance-exceptions.md does not explain is an error, and so is an exception that has become unnecessary.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from '../../runtime/database/embedded.ts';

interface Outcome {
  readonly suite: string;
  readonly case: string;
  readonly outcome: string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const runner = join(root, '../shared/conformance/run.mjs');

async function main(args: readonly string[]): Promise<number> {
  if (!existsSync(runner)) {
    console.log('conformance skipped: the cases are not beside this checkout (../shared/conformance)');
    return 0;
  }
  const given = process.env.ENGINE_TEST_PG_URL;
  const postgres = given ? undefined : await startEmbeddedPostgres({});
  const folder = mkdtempSync(join(tmpdir(), 'engine-conformance-'));
  try {
    const outcomes = join(folder, 'outcomes.json');
    const status = await run([
      runner,
      '--spawn',
      `${process.execPath} ${join(root, 'compiler/cli/bin.mjs')} serve`,
      '--pg-url',
      given ?? postgres!.url,
      '--json',
      outcomes,
      ...args,
    ]);
    if (status !== 0 || !existsSync(outcomes)) return status;
    return judge(readOutcomes(outcomes));
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await postgres?.stop();
  }
}

function run(args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

function readOutcomes(file: string): readonly Outcome[] {
  const read = JSON.parse(readFileSync(file, 'utf8')) as
    | readonly Outcome[]
    | { readonly cases: readonly Outcome[] };
  return 'cases' in read ? read.cases : read;
}

/** Exit status by the outcomes and the explained exceptions. */
function judge(outcomes: readonly Outcome[]): number {
  const text = readFileSync(join(root, 'test/conformance-exceptions.md'), 'utf8');
  const explained = new Set([...text.matchAll(/^- `([^`]+)`:/gm)].map((match) => match[1]!));
  const nameOf = (each: Outcome) => `${each.suite} ${each.case}`;
  const passed = outcomes.filter(({ outcome }) => outcome === 'exact' || outcome === 'loose');
  const failed = outcomes.filter((each) => !passed.includes(each) && each.outcome !== 'skipped');
  const unexplained = failed.filter((each) => !explained.has(nameOf(each)));
  const needless = passed.filter((each) => explained.has(nameOf(each)));
  for (const outcome of unexplained) console.error(`unexplained failure: ${nameOf(outcome)}`);
  for (const outcome of needless) console.error(`passes, so it is no exception any more: ${nameOf(outcome)}`);
  if (unexplained.length + needless.length === 0) return 0;
  // The last line is the summary, whatever was printed after that of the runner.
  console.log(`${passed.length} passed, ${failed.length} failed`);
  return 1;
}

process.exitCode = await main(process.argv.slice(2));
