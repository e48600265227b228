/** `npm run fuzz -- KIND [--cases N] [--seed S] [--as-found] [--only TEXT]`: property tests outside the test run, with as many cases as wanted. */
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../../runtime/database/embedded.ts';

/** What a kind of property test is given. */
export interface FuzzContext {
  /** A server on which databases may be created and dropped. */
  readonly serverUrl: string;
  readonly seed: number;
  /** undefined: the kind's own number. */
  readonly cases: number | undefined;
  /** A failing case is reported as it was found, not made smaller. */
  readonly asFound: boolean;
  /** Of `faults`: text in the names of those to plant. */
  readonly only?: string;
}

/** Runs a kind, printing what it does; answers whether everything held. */
export type FuzzKind = (context: FuzzContext) => Promise<boolean>;

const KINDS: Readonly<Record<string, () => Promise<FuzzKind>>> = {
  queries: async () => (await import('./queries/main.ts')).fuzzQueries,
  mutations: async () => (await import('./mutations/main.ts')).fuzzMutations,
  hostile: async () => (await import('./hostile/main.ts')).fuzzHostile,
  metadata: async () => (await import('./metadata/main.ts')).fuzzMetadata,
  interference: async () => (await import('./interference/main.ts')).fuzzInterference,
  live: async () => (await import('./live/main.ts')).fuzzLive,
  audit: async () => (await import('./audit/main.ts')).fuzzAudit,
  faults: async () => (await import('./faults.ts')).fuzzFaults,
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    cases: { type: 'string' },
    seed: { type: 'string' },
    'as-found': { type: 'boolean' },
    only: { type: 'string' },
  },
});
const [kind = ''] = positionals;
const load = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
if (!load) {
  console.error(`Which kind? One of: ${Object.keys(KINDS).join(', ')}.`);
  process.exit(2);
}
const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
const cases = values.cases === undefined ? undefined : Number(values.cases);
if (!Number.isSafeInteger(seed) || (cases !== undefined && !(cases > 0))) {
  console.error('--seed takes a whole number, --cases a positive one.');
  process.exit(2);
}
const named = process.env.ENGINE_TEST_PG_URL;
const cluster = named ? undefined : await startEmbeddedPostgres();
try {
  const run = await load();
  process.exitCode = (await run({
    serverUrl: named ?? cluster!.url,
    seed,
    cases,
    asFound: values['as-found'] ?? false,
    ...(values.only !== undefined && { only: values.only }),
  }))
    ? 0
    : 1;
} finally {
  await cluster?.stop();
}
