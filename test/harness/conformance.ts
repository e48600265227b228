/**
 * Runs the conformance cases that stand beside the project, on an embedded PostgreSQL, against a server started from this
 * checkout; those that need PostGIS on embedded databases that have it. A run that skips a case fails. `--pgbouncer` puts
 * PgBouncer in transaction mode between them, which has to be installed. `--vocabulary WORD` rewrites the cases, questions and
 * answers alike, and gives the word to the server. Other arguments go to the cases' own runner (`--area foundation`, `--suite RE`, `--verbose` …). A failed case
 * that test/conformance-exceptions.md does not explain is an error, and so is an exception that has become unnecessary.
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../compiler/offline/embedded.ts';
import { POSTGIS_PACKAGES, startPostgis } from '../../compiler/offline/postgis.ts';
import { hasPgBouncer, startPgBouncer } from './pgbouncer.ts';
import { CONFORMANCE } from './public-cases.ts';
import { inVocabulary } from './vocabulary.ts';

interface Outcome {
  readonly suite: string;
  readonly case: string;
  readonly outcome: string;
}

const POOLER = '--pgbouncer';
const root = fileURLToPath(new URL('../..', import.meta.url));
const SERVE = `${process.execPath} ${join(root, 'compiler/cli/bin.mjs')} serve`;
/** Seconds for a server to start: a busy machine takes more than the runner's 30, and is no defect. */
const START_TIMEOUT = ['--start-timeout', '120'];
const RUNNER = 'run.mjs';
const VOCABULARY = '--vocabulary';

/** What is run: the cases' runner, and the command that starts a server. */
interface Cases {
  readonly runner: string;
  readonly serve: string;
}

async function main(all: readonly string[]): Promise<number> {
  if (!existsSync(join(CONFORMANCE, RUNNER))) {
    console.log('conformance skipped: the cases are not there (CONTRIBUTING.md, ENGINE_PUBLIC_CASES)');
    return 0;
  }
  if (all.includes(POOLER) && !hasPgBouncer()) {
    console.error('PgBouncer is not installed (Debian: pgbouncer)');
    return 1;
  }
  const given = process.env.ENGINE_TEST_PG_URL;
  const postgres = given ? undefined : await startEmbeddedPostgres({});
  const folder = mkdtempSync(join(tmpdir(), 'engine-conformance-'));
  const direct = given ?? postgres!.url;
  const pooler = all.includes(POOLER) ? await startPgBouncer(direct) : undefined;
  const word = all.includes(VOCABULARY) ? all[all.indexOf(VOCABULARY) + 1] : undefined;
  const args = all.filter(
    (each, index) => each !== POOLER && each !== VOCABULARY && all[index - 1] !== VOCABULARY,
  );
  const cases = word === undefined ? CASES : rewrittenCases(word, folder);
  try {
    const url = pooler?.url ?? direct;
    const first = args.includes('--json') ? args[args.indexOf('--json') + 1]! : join(folder, 'outcomes.json');
    const status = await run([
      cases.runner,
      ...['--spawn', cases.serve, '--pg-url', url],
      ...START_TIMEOUT,
      ...args,
      ...['--json', first],
    ]);
    if (status !== 0 || !existsSync(first)) return status;
    const outcomes = readOutcomes(first);
    const skipped = outcomes.filter(({ outcome }) => outcome === 'skipped');
    if (skipped.length === 0) return judge(outcomes);
    const others = outcomes.filter((each) => !skipped.includes(each));
    return judge([...others, ...(await onPostgis(cases, skipped, url, join(folder, 'postgis.json'), args))]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await pooler?.stop();
    await postgres?.stop();
  }
}

const CASES: Cases = { runner: join(CONFORMANCE, RUNNER), serve: SERVE };

/** The cases in another vocabulary: what they ask, and what they expect. */
function rewrittenCases(word: string, folder: string): Cases {
  const copy = join(folder, 'conformance');
  cpSync(CONFORMANCE, copy, { recursive: true });
  for (const name of readdirSync(copy, { recursive: true }) as string[]) {
    if (!/\.(json|mjs)$/.test(name)) continue;
    const file = join(copy, name);
    writeFileSync(file, inVocabulary(readFileSync(file, 'utf8'), word));
  }
  return { runner: join(copy, RUNNER), serve: `${SERVE} --vocabulary ${word}` };
}

/** Runs cases that the server at hand cannot run: their databases are embedded ones with PostGIS, the metadata stays there. */
async function onPostgis(
  { runner, serve }: Cases,
  skipped: readonly Outcome[],
  metadataServer: string,
  file: string,
  args: readonly string[],
): Promise<readonly Outcome[]> {
  const postgis = await startPostgis();
  if (!postgis) return skipped;
  const metadata = await createDatabase(metadataServer, 'conformance_postgis');
  try {
    const suites = [...new Set(skipped.map(({ suite }) => suite))];
    const pattern = `^(${suites.map((suite) => suite.replace(/[^\w/]/g, '\\$&')).join('|')})$`;
    console.log(`\n${skipped.length} cases again, on embedded databases with PostGIS`);
    await run([
      runner,
      ...['--spawn', `${serve} --database-url ${metadata} --metadata-database-url ${metadata}`],
      ...['--pg-url', postgis.url, ...START_TIMEOUT, '--timeout', '300'],
      ...args,
      ...['--suite', pattern, '--json', file],
    ]);
    return existsSync(file) ? readOutcomes(file) : skipped;
  } finally {
    await postgis.stop();
    await dropDatabase(metadataServer, 'conformance_postgis');
  }
}

async function createDatabase(server: string, name: string): Promise<string> {
  await dropDatabase(server, name);
  await execute(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

function dropDatabase(server: string, name: string): Promise<void> {
  return execute(server, `drop database if exists ${name} with (force)`);
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
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
  const skipped = outcomes.filter(({ outcome }) => outcome === 'skipped');
  const failed = outcomes.filter((each) => !passed.includes(each) && !skipped.includes(each));
  const unexplained = failed.filter((each) => !explained.has(nameOf(each)));
  const needless = passed.filter((each) => explained.has(nameOf(each)));
  for (const outcome of unexplained) console.error(`unexplained failure: ${nameOf(outcome)}`);
  for (const outcome of needless) console.error(`passes, so it is no exception any more: ${nameOf(outcome)}`);
  for (const outcome of skipped) console.error(`skipped: ${nameOf(outcome)}`);
  if (skipped.length > 0) {
    console.error(`${skipped.length} cases were not run: install ${POSTGIS_PACKAGES}, or name a server with`);
    console.error('PostGIS in ENGINE_TEST_PG_URL. A run that skips cases fails.');
  }
  // The last line is the summary, whatever was printed after those of the runner.
  console.log(`${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped`);
  return unexplained.length + needless.length + skipped.length === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
