/** Random changes beside permissions: each setting is data with what it means, so that two of them can be compared without the code. */
import type { Finding } from '../../../compiler/review/audit/finding.ts';
import type { JsonObject } from '../../../runtime/metadata/metadata.ts';
import { Random } from '../random.ts';
import { type CampaignOptions, openBench, printedDiff } from './bench.ts';
import { randomProject } from './random-project.ts';
import { metadataOf, SCHEMA } from './world.ts';

const WRITER = `create function touch_items() returns setof item language sql volatile as $$ update item set level = 1 returning * $$;`;

interface Setting {
  /** Keys of the document, of its source, or of the table `person`. */
  readonly document?: JsonObject;
  readonly source?: JsonObject;
  readonly person?: JsonObject;
  /** A higher number allows more; another text is something else; the same is the same. */
  readonly means: number | string;
}

interface Knob {
  /** Findings about it. */
  readonly about: RegExp;
  readonly settings: readonly Setting[];
}

const cron = (more: JsonObject) => ({
  cron_triggers: [
    {
      name: 'nightly',
      webhook: 'http://a/x',
      schedule: '0 3 * * *',
      include_in_metadata: true,
      payload: {},
      ...more,
    },
  ],
});
const action = (more: JsonObject, fields: readonly JsonObject[] = [{ name: 'text', type: 'String' }]) => ({
  actions: [
    {
      name: 'hello',
      definition: { kind: 'synchronous', handler: 'http://a/x', arguments: [], output_type: 'Hi', ...more },
      permissions: [{ role: 'user' }],
    },
  ],
  custom_types: { objects: [{ name: 'Hi', fields: [...fields] }] },
});
const trigger = (payload: readonly string[], more: JsonObject = {}) => ({
  event_triggers: [
    {
      name: 'told',
      definition: { enable_manual: false, insert: { columns: '*', payload: [...payload] } },
      retry_conf: { num_retries: 0, interval_sec: 10, timeout_sec: 60 },
      webhook: 'http://a/x',
      ...more,
    },
  ],
});
const connection = (url: string, more: JsonObject = {}) => ({
  configuration: { connection_info: { database_url: url, ...more } },
});
const swapped = (one: string, other: string) => ({
  functions: [
    { function: 'all_items', configuration: { custom_name: one } },
    { function: 'open_items', configuration: { custom_name: other } },
  ],
});

const KNOBS: Readonly<Record<string, Knob>> = {
  limits: {
    about: /^(depth|node)_limit/,
    settings: [
      { means: Infinity },
      ...[3, 7].map((global) => ({
        document: { api_limits: { disabled: false, depth_limit: { global, per_role: {} } } },
        means: global,
      })),
      {
        document: { api_limits: { disabled: true, depth_limit: { global: 3, per_role: {} } } },
        means: Infinity,
      },
    ],
  },
  cron: {
    about: /cron trigger/,
    settings: [
      { document: cron({}), means: 'a' },
      { document: cron({ schedule: '0 4 * * *', retry_conf: { num_retries: 3 }, comment: 'x' }), means: 'a' },
      { document: cron({ webhook: 'http://b/x' }), means: 'b' },
      { document: cron({ headers: [{ name: 'secret', value_from_env: 'SECRET' }] }), means: 'header' },
      { document: cron({ payload: { all: true } }), means: 'payload' },
    ],
  },
  action: {
    about: /action hello/,
    settings: [
      { document: action({}), means: 'a' },
      { document: action({ timeout: 77, kind: 'asynchronous' }), means: 'a' },
      { document: action({}, [{ name: 'text', type: 'String', description: 'x' }]), means: 'a' },
      { document: action({ handler: 'http://b/x' }), means: 'b' },
      { document: action({ forward_client_headers: true }), means: 'forwards' },
      { document: action({ headers: [{ name: 'x-admin', value: 'true' }] }), means: 'header' },
      { document: action({ arguments: [{ name: 'who', type: 'Int' }] }), means: 'argument' },
      {
        document: action({}, [
          { name: 'text', type: 'String' },
          { name: 'secret', type: 'String' },
        ]),
        means: 'field',
      },
    ],
  },
  event: {
    about: /event trigger/,
    settings: [
      { person: trigger(['id']), means: 1 },
      { person: trigger(['id', 'secret']), means: 2 },
      {
        person: trigger(['secret', 'id'], {
          retry_conf: { num_retries: 4, interval_sec: 1, timeout_sec: 6 },
        }),
        means: 2,
      },
    ],
  },
  'event host': {
    about: /event trigger/,
    settings: [
      { person: trigger(['id']), means: 'a' },
      { person: trigger(['id'], { webhook: 'http://b/x' }), means: 'b' },
      { person: trigger(['id'], { headers: [{ name: 'x', value: 'y' }] }), means: 'header' },
    ],
  },
  database: {
    about: /setting source/,
    settings: [
      { source: connection('postgres://u:p@a/d'), means: 'a' },
      { source: connection('postgres://u:q@a/d?connect_timeout=3'), means: 'a' },
      { source: connection('postgres://u:p@a/d', { pool_settings: { max_connections: 3 } }), means: 'a' },
      { source: connection('postgres://u:p@b/d'), means: 'host' },
      { source: connection('postgres://u:p@a/other'), means: 'database' },
      { source: connection('postgres://owner:p@a/d'), means: 'account' },
      { source: connection('postgres://u:p@a/d?options=-c%20role%3Downer'), means: 'options' },
    ],
  },
  TLS: {
    about: /setting source/,
    settings: ['verify-full', 'verify-ca', 'require', 'prefer', 'allow', 'disable'].map((sslmode, means) => ({
      source: connection('postgres://u:p@a/d', { ssl_configuration: { sslmode } }),
      means,
    })),
  },
  'names of functions': {
    about: /saved operation site|call the function/,
    settings: [
      { source: swapped('one', 'two'), means: 'one' },
      { source: swapped('two', 'one'), means: 'two' },
    ],
  },
  'a function that writes': {
    about: /touch_items/,
    settings: ['query', 'mutation'].map((exposed) => ({
      source: {
        functions: [
          {
            function: 'touch_items',
            configuration: { exposed_as: exposed },
            permissions: [{ role: 'user' }],
          },
        ],
      },
      // Reading a link is enough to call it.
      means: exposed === 'query' ? 1 : 0,
    })),
  },
  telemetry: {
    about: /telemetry/,
    settings: ['a', 'b'].map((host) => ({
      document: {
        opentelemetry: {
          status: 'enabled',
          exporter_otlp: { otlp_traces_endpoint: `http://${host}/v1/traces` },
        },
      },
      means: host,
    })),
  },
  certificates: {
    about: /certificate/,
    settings: [{ means: 0 }, { document: { network: { tls_allowlist: [{ host: 'a' }] } }, means: 1 }],
  },
  introspection: {
    about: /introspection/,
    settings: [
      { document: { graphql_schema_introspection: { disabled_for_roles: ['user'] } }, means: 0 },
      { document: { graphql_schema_introspection: { disabled_for_roles: [] } }, means: 1 },
      { means: 1 },
    ],
  },
};

/** A text that the allow-list admits. */
const KNOWN = {
  query_collections: [
    { name: 'site', definition: { queries: [{ name: 'list', query: 'query list { one { id } }' }] } },
  ],
  allowlist: [{ collection: 'site', scope: { global: true } }],
};

function documentWith(base: JsonObject, name: string, { document, source, person }: Setting): JsonObject {
  const json = structuredClone({ ...base, ...(name === 'names of functions' && KNOWN), ...document }) as {
    sources: [{ tables: { table: string; select_permissions: object[] }[] }];
  };
  Object.assign(json.sources[0], source);
  const { tables } = json.sources[0];
  Object.assign(tables.find(({ table }) => table === 'person')!, person);
  // Both roles call the functions: they return items.
  const item = tables.find(({ table }) => table === 'item')!;
  if (/function/.test(name))
    item.select_permissions = [{ role: 'user', permission: { columns: ['id'], filter: {} } }];
  return json as unknown as JsonObject;
}

export interface BesideResult {
  readonly cases: number;
  readonly neutral: number;
  readonly alarms: readonly string[];
  /** What was not said. */
  readonly defect?: string;
}

export async function runBesideCampaign(options: CampaignOptions): Promise<BesideResult> {
  const { seed, cases } = options;
  const bench = await openBench(options);
  const alarms: string[] = [];
  let [number, neutral] = [0, 0];
  try {
    await bench.change(`${SCHEMA} create schema app; ${WRITER}`);
    for (let index = 0; number < cases; index += 1) {
      const random = new Random(seed * 1_000_003 + index);
      const base = metadataOf(randomProject(random));
      const [name, { about, settings }] = random.pick(Object.entries(KNOBS));
      const [was, is] = [random.pick(settings), random.pick(settings)];
      const [before, after] = [was, is].map((setting) =>
        bench.serve(documentWith(base, name, setting), 'side'),
      );
      if (!before || !after) continue;
      number += 1;
      const findings = printedDiff(before, after);
      const told = findings.filter(({ text }) => about.test(text));
      const words = `${name}: ${JSON.stringify(was)} → ${JSON.stringify(is)}`;
      if (was.means === is.means) {
        neutral += 1;
        if (findings.length > 0) alarms.push(`${words}: ${findings[0]!.text}`);
      } else if (!isSaid(was.means, is.means, told))
        return {
          cases: number,
          neutral,
          alarms,
          defect: `${JSON.stringify(findings.map(({ verdict, text }) => [verdict, text]))} seed ${seed}, case ${number}, ${words}`,
        };
    }
    return { cases: number, neutral, alarms };
  } finally {
    await bench.end();
  }
}

function isSaid(was: number | string, is: number | string, told: readonly Finding[]): boolean {
  const isLess = typeof was === 'number' && typeof is === 'number' && is < was;
  return isLess
    ? told.length > 0
    : told.some(({ verdict }) => ['wider', 'changed meaning', 'undecidable'].includes(verdict));
}
