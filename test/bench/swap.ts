/**
 * `npm run bench -- swap`: how long a change of one permission takes from its request to the first answer of the new
 * schema, and what it costs those who are served meanwhile.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from '../../compiler/offline/embedded.ts';
import { percentile } from './results.ts';
import type { SwapAnswer, SwapCommand, SwapFigures } from './servers/swapped.ts';
import { type SwapProject, type SwappedPermission, swappedPermission } from './swap-project.ts';

/** Times in milliseconds, memory in megabytes. */
export interface SwapResult {
  readonly project: string;
  readonly tables: number;
  readonly swaps: number;
  readonly replaceTime: number;
  readonly replaceStall: number;
  /** From the request to the first answer of the new schema. */
  readonly p50: number;
  readonly p99: number;
  /** Of that, until the change is answered. */
  readonly changeP50: number;
  readonly changeP99: number;
  readonly swapStall: number;
  /** CPU time of the server per swap, all threads. */
  readonly cpuPerSwap: number;
  /** Of the serving thread, after a forced collection. */
  readonly heapAfter10: number;
  readonly heapAfterAll: number;
  /** Of the server's process. */
  readonly peakMemory: number;
  /** Under constant load during all swaps. */
  readonly requests: number;
  readonly failed: number;
}

/** Runs the benchmark on a Postgres of its own. */
export async function benchSwap(project: SwapProject, swaps: number): Promise<SwapResult> {
  const postgres = await startEmbeddedPostgres();
  try {
    const databaseUrl = await postgres.createDatabase('swap');
    await project.fill(databaseUrl);
    const options = { databaseUrl, metadataDatabaseUrl: await postgres.createDatabase('swap_metadata') };
    const child = fork(fileURLToPath(new URL('servers/swapped.ts', import.meta.url)), [], {
      execArgv: ['--expose-gc', '--import', 'tsx'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    try {
      const started = await ask(child, { kind: 'start', options });
      if (started.kind !== 'port') throw new Error(`unexpected answer ${started.kind}`);
      return await measure(`http://127.0.0.1:${started.port}`, () => figures(child), project, swaps);
    } finally {
      await ask(child, { kind: 'stop' }).catch(() => child.kill());
    }
  } finally {
    await postgres.stop();
  }
}

async function measure(
  address: string,
  figuresOf: () => Promise<SwapFigures>,
  project: SwapProject,
  swaps: number,
): Promise<SwapResult> {
  const [source] = ((await change(address, 'export_metadata', {})) as { sources: [object] }).sources;
  const metadata = { version: 3, sources: [{ ...source, tables: project.tables }] };
  await figuresOf();
  const begin = performance.now();
  await change(address, 'replace_metadata', metadata);
  const replaceTime = performance.now() - begin;
  const replaced = await figuresOf();
  const swapped = swappedPermission(project);
  const load = keepAsking(address, swapped.query);
  const totals: number[] = [];
  const changes: number[] = [];
  const parts: SwapFigures[] = [];
  for (let swap = 0; swap < swaps; swap += 1) {
    const { total, answered } = await timeSwap(address, swapped, swap % 2 === 1);
    totals.push(total);
    changes.push(answered);
    if (swap === 9) parts.push(await figuresOf());
  }
  parts.push(await figuresOf());
  const { requests, failed } = await load.stop();
  totals.sort((left, right) => left - right);
  changes.sort((left, right) => left - right);
  return {
    project: project.name,
    tables: project.tables.length,
    swaps,
    replaceTime,
    replaceStall: replaced.stall,
    p50: percentile(totals, 0.5),
    p99: percentile(totals, 0.99),
    changeP50: percentile(changes, 0.5),
    changeP99: percentile(changes, 0.99),
    swapStall: Math.max(...parts.map(({ stall }) => stall)),
    cpuPerSwap: parts.reduce((sum, { cpu }) => sum + cpu, 0) / swaps,
    heapAfter10: parts[0]!.heap,
    heapAfterAll: parts.at(-1)!.heap,
    peakMemory: parts.at(-1)!.peakMemory,
    requests,
    failed,
  };
}

/** Drops the permission, or creates it again, and asks until the answer is of the new schema. */
async function timeSwap(
  address: string,
  { table, role, permission, query }: SwappedPermission,
  creates: boolean,
): Promise<{ total: number; answered: number }> {
  const begin = performance.now();
  if (creates) await change(address, 'pg_create_select_permission', { table, role, permission });
  else await change(address, 'pg_drop_select_permission', { table, role });
  const answered = performance.now() - begin;
  const answer = await post(`${address}/v1/graphql`, { query }, role);
  const { errors } = (await answer.json()) as { errors?: { message: string }[] };
  // The role has no rows without a session variable that its rule may need; then the error says so, not that it is unknown.
  const known = errors?.every(({ message }) => !message.includes('not found in type')) ?? true;
  if (known !== creates) throw new Error(`the answer is not of the new schema: ${JSON.stringify(errors)}`);
  return { total: performance.now() - begin, answered };
}

/** Constant load by a role that the changes do not concern. */
function keepAsking(
  address: string,
  query: string,
): { stop(): Promise<{ requests: number; failed: number }> } {
  let running = true;
  let requests = 0;
  let failed = 0;
  const ask = async () => {
    while (running) {
      requests += 1;
      const answer = await post(`${address}/v1/graphql`, { query });
      const { errors } = (await answer.json()) as { errors?: unknown };
      if (!answer.ok || errors !== undefined) failed += 1;
      await delay(10);
    }
  };
  const asking = Promise.all([ask(), ask()]);
  return {
    stop: async () => {
      running = false;
      await asking;
      return { requests, failed };
    },
  };
}

async function figures(child: ChildProcess): Promise<SwapFigures> {
  const answer = await ask(child, { kind: 'figures' });
  if (answer.kind !== 'figures') throw new Error(`unexpected answer ${answer.kind}`);
  return answer.figures;
}

/** Commands are answered one at a time, in order. */
function ask(child: ChildProcess, command: SwapCommand): Promise<SwapAnswer> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`the server ended with status ${code}`));
    child.once('exit', ended);
    child.once('message', (answer: SwapAnswer) => {
      child.off('exit', ended);
      if (answer.kind === 'error') reject(new Error(answer.message));
      else resolve(answer);
    });
    child.send(command);
  });
}

async function change(address: string, type: string, args: unknown): Promise<unknown> {
  const answer = await post(`${address}/v1/metadata`, { type, args });
  const body: unknown = await answer.json();
  if (!answer.ok) throw new Error(`${type}: ${JSON.stringify(body).slice(0, 500)}`);
  return body;
}

function post(url: string, body: object, role = 'admin'): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'x-engine-role': role };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}
