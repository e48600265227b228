/** `npm run fuzz -- KIND`: property tests outside the test run, with as many cases as wanted. `--help` lists kinds and options. */
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../../compiler/offline/embedded.ts';

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

interface Kind {
  readonly load: () => Promise<FuzzKind>;
  readonly help: string;
}

const KINDS: Readonly<Record<string, Kind>> = {
  queries: {
    load: async () => (await import('./queries/main.ts')).fuzzQueries,
    help: 'random projects and queries, compared with an oracle',
  },
  mutations: {
    load: async () => (await import('./mutations/main.ts')).fuzzMutations,
    help: 'random mutations, compared with an oracle',
  },
  shards: {
    load: async () => (await import('./shards/main.ts')).fuzzShards,
    help: 'random queries and mutations in the forms for a cluster, compared with the oracle of each',
  },
  hostile: {
    load: async () => (await import('./hostile/main.ts')).fuzzHostile,
    help: 'requests with operands of every kind: none fails with an unexpected error',
  },
  metadata: {
    load: async () => (await import('./metadata/main.ts')).fuzzMetadata,
    help: 'random operations of the metadata API and run_sql',
  },
  interference: {
    load: async () => (await import('./interference/main.ts')).fuzzInterference,
    help: 'databases that differ in hidden rows only give equal answers',
  },
  live: {
    load: async () => (await import('./live/main.ts')).fuzzLive,
    help: 'live queries under random writes',
  },
  cached: {
    load: async () => (await import('./cached/main.ts')).fuzzCached,
    help: 'kept answers are those of fresh queries, for every session and after every write',
  },
  audit: {
    load: async () => (await import('./audit/main.ts')).fuzzAudit,
    help: 'random changes of permissions and of the database below, and what "engine audit" says of them',
  },
  canary: {
    load: async () => (await import('./canary/main.ts')).fuzzCanary,
    help: 'random schemas with a secret in every column: who "engine audit who" lists reads them, nobody else',
  },
  remote: {
    load: async () => (await import('./remote/main.ts')).fuzzRemote,
    help: 'random permissions of a remote schema: nothing outside them leaves, and presets stay',
  },
  sockets: {
    load: async () => (await import('./sockets/main.ts')).fuzzSockets,
    help: 'hostile frames, requests and answers of peers: none ends the server, stalls it or is unexpected',
  },
  faults: {
    load: async () => (await import('./faults.ts')).fuzzFaults,
    help: 'plant the defects of test/faults one by one; each has to be found by the kind of its folder',
  },
};

function usage(): string {
  const kinds = Object.entries(KINDS).map(([name, { help }]) => `  ${name.padEnd(14)}${help}`);
  return `npm run fuzz -- KIND [options]

Kinds:
${kinds.join('\n')}

Options:
  --cases N     number of cases (default: of the kind)
  --seed S      seed of the random numbers; the output names it (default: random)
  --as-found    do not shrink a failing case
  --only TEXT   faults: only those with this text in their names (--only interference/)

ENGINE_TEST_PG_URL names a PostgreSQL server to use instead of the embedded one. The exit code is 0 if everything held.
Example: npm run fuzz -- faults --only interference/implied --cases 1000 --seed 41`;
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    cases: { type: 'string' },
    seed: { type: 'string' },
    'as-found': { type: 'boolean' },
    only: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});
if (values.help) {
  console.log(usage());
  process.exit(0);
}
const [kind = ''] = positionals;
const load = Object.hasOwn(KINDS, kind) ? KINDS[kind]!.load : undefined;
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
