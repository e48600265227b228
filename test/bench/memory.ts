/**
 * `npm run bench -- memory`: what a server keeps of operations that a hostile client makes up. The server has a heap of
 * 256 MB and gets operations of 44 kB, or introspections of large schemas, no two of them alike, in many roles; another
 * client asks for one row meanwhile.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { getIntrospectionQuery } from 'graphql';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../compiler/offline/embedded.ts';
import type { JsonObject } from '../../runtime/metadata/metadata.ts';
import { alignedTable, percentile } from './results.ts';
import { type ServerProcess, startServerProcess } from './server.ts';
import { generatedProject, swappedPermission } from './swap-project.ts';

/** Figures after a part of the operations. Memory in megabytes, times in milliseconds. */
export interface MemoryFigure {
  readonly operations: number;
  /** Operations that were answered with data. */
  readonly answered: number;
  /** Resident memory of the server. */
  readonly server: number;
  /** Memory of its own of the largest backend, and of all of them. */
  readonly backend: number;
  readonly backends: number;
  /** Of the other client since the figure before. */
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
}

const HEAP = 256;
const ROLES = 20;
/** Characters of an operation. */
const SIZE = 44_000;
const CONNECTIONS = 4;
const FIGURES = 10;

/** Of the schema that is introspected; each role sees one in five. */
const TABLES = 1000;

const SCHEMA = `create table author (id int primary key, name text not null);
  create table article (id int primary key, title text not null, author_id int references author);
  insert into author select i, 'author ' || i from generate_series(1, 10) i;
  insert into article select i, 'article ' || i, 1 + i % 10 from generate_series(1, 10) i; analyze;`;

interface Operation {
  readonly role: string;
  readonly body: object;
}

/** What a server is filled with, and what it is asked then. */
export interface Attack {
  readonly fill: (databaseUrl: string) => Promise<void>;
  readonly tables: readonly JsonObject[];
  readonly operationOf: (number: number) => Operation;
  /** What the other client asks for. */
  readonly alongside: Operation;
}

/** Operations that differ in names, lists, shapes of variables or texts. */
export function distinctOperations(): Attack {
  const permission = { columns: '*', filter: {} };
  const permissions = Array.from({ length: ROLES }, (_, index) => ({ role: `role_${index}`, permission }));
  return {
    fill: async (databaseUrl) => {
      const database = new pg.Client({ connectionString: databaseUrl });
      await database.connect();
      await database.query(SCHEMA);
      await database.end();
    },
    tables: ['author', 'article'].map((table) => ({ table, select_permissions: permissions })),
    operationOf,
    alongside: { role: 'role_0', body: { query: '{ author(where: {id: {_eq: 1}}) { name } }' } },
  };
}

/** Introspections of 20 roles, who see 200 tables each. */
export function distinctIntrospections(): Attack {
  const project = generatedProject(TABLES);
  const { role, query } = swappedPermission(project);
  const introspection = getIntrospectionQuery();
  return {
    fill: project.fill,
    tables: project.tables,
    operationOf: (number) => ({
      role: `role_${number % ROLES}`,
      body: { query: introspection.replace('IntrospectionQuery', `Introspection${number}`) },
    }),
    alongside: { role, body: { query } },
  };
}

/** The operation of a number: each kind is written once in five. */
function operationOf(number: number): Operation {
  const role = `role_${number % ROLES}`;
  const fill = (item: (index: number) => string) => {
    const items: string[] = [];
    for (let length = 0; length < SIZE; length += items.at(-1)!.length + 1) items.push(item(items.length));
    return items.join(' ');
  };
  switch (number % 5) {
    case 0:
    case 1:
      return {
        role,
        body: {
          query: `{ article(limit: 1) { ${fill((index) => `a${number}_${index}_${'x'.repeat(20)}: title`)} } }`,
        },
      };
    case 2: {
      const list = fill((index) => String(number * 10_000 + index));
      return { role, body: { query: `{ article(where: {id: {_in: [${list}]}}) { id } }` } };
    }
    case 3: {
      const query = `query ($where: article_bool_exp) { article(where: $where) { id } }`;
      const or = Array.from({ length: 900 }, (_, index) =>
        (number >> (index % 16)) & 1 ? { id: { _eq: index } } : { title: { _eq: 'none of these titles' } },
      );
      return { role, body: { query, variables: { where: { _or: or } } } };
    }
    default: {
      const text = `${number} `.padEnd(SIZE, 'x');
      return { role, body: { query: `{ n${number}: author(where: {name: {_eq: "${text}"}}) { id } }` } };
    }
  }
}

/** Runs the benchmark on a Postgres of its own. @param operations how many */
export async function benchMemory(
  attack: Attack,
  operations: number,
  progress: (text: string) => void,
): Promise<MemoryFigure[]> {
  const cluster = await startEmbeddedPostgres();
  const database = new pg.Client({ connectionString: cluster.url, application_name: 'bench' });
  await database.connect();
  await attack.fill(cluster.url);
  const server = await startServerProcess(cluster.url, [`--max-old-space-size=${HEAP}`]);
  try {
    await track(server.port, attack.tables);
    return await measure(attack, server, database, operations, progress);
  } finally {
    server.child.kill('SIGKILL');
    await database.end();
    await cluster.stop();
  }
}

async function measure(
  { operationOf, alongside }: Attack,
  { child, port }: ServerProcess,
  database: pg.Client,
  operations: number,
  progress: (text: string) => void,
): Promise<MemoryFigure[]> {
  const figures: MemoryFigure[] = [];
  const neighbour = askAlongside(port, alongside);
  let next = 0;
  let answered = 0;
  const figure = async () => {
    const { rows } = await database.query<{ pid: number }>(
      `select pid from pg_stat_activity where application_name = 'engine'`,
    );
    const backends = rows.map(({ pid }) => memoryOf(pid, 'RssAnon'));
    figures.push({
      operations: next,
      answered,
      server: memoryOf(child.pid!, 'VmRSS'),
      backend: Math.max(...backends),
      backends: backends.reduce((sum, each) => sum + each, 0),
      ...neighbour.take(),
    });
    progress(JSON.stringify(figures.at(-1)));
  };
  const step = Math.ceil(operations / FIGURES);
  for (let until = step; until <= operations; until += step) {
    const work = async () => {
      while (next < until) {
        next += 1;
        const { role, body } = operationOf(next);
        const { errors } = (await post(port, body, role)) as { errors?: unknown };
        if (errors === undefined) answered += 1;
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
    await figure();
  }
  await neighbour.stop();
  return figures;
}

/** Another client, which asks for one row ten times a second. */
function askAlongside(port: number, { body, role }: Operation) {
  let running = true;
  let times: number[] = [];
  let failed = 0;
  const asking = (async () => {
    while (running) {
      const begin = performance.now();
      const answer = (await post(port, body, role).catch(() => ({}))) as { data?: unknown };
      times.push(performance.now() - begin);
      if (answer.data === undefined) failed += 1;
      await delay(100);
    }
  })();
  return {
    take: () => {
      const sorted = times.sort((left, right) => left - right);
      const taken = { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), failed };
      times = [];
      failed = 0;
      return taken;
    },
    stop: () => {
      running = false;
      return asking;
    },
  };
}

async function track(port: number, tables: readonly JsonObject[]): Promise<void> {
  const { sources } = (await post(port, { type: 'export_metadata', args: {} }, 'admin', '/v1/metadata')) as {
    sources: [object];
  };
  const args = { version: 3, sources: [{ ...sources[0], tables }] };
  await post(port, { type: 'replace_metadata', args }, 'admin', '/v1/metadata');
}

async function post(port: number, body: object, role: string, path = '/v1/graphql'): Promise<unknown> {
  const headers = { 'content-type': 'application/json', 'x-engine-role': role };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return answer.json();
}

/** Memory of a process in megabytes, as Linux counts it. */
function memoryOf(pid: number, kind: 'VmRSS' | 'RssAnon'): number {
  const found = new RegExp(`^${kind}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(found?.[1] ?? 0) / 1024;
}

export function memoryTable(figures: readonly MemoryFigure[]): string {
  const header = [
    'operations',
    'answered',
    'server MB',
    'backend MB',
    'all MB',
    'other p50',
    'p99',
    'failed',
  ];
  const rows = figures.map((figure) => [
    String(figure.operations),
    String(figure.answered),
    figure.server.toFixed(0),
    figure.backend.toFixed(0),
    figure.backends.toFixed(0),
    `${figure.p50.toFixed(0)} ms`,
    `${figure.p99.toFixed(0)} ms`,
    String(figure.failed),
  ]);
  return alignedTable([header, ...rows]);
}
