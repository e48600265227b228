/** Servers that are asked the same, in alternating rounds, once their answers are known to be equal. */
import type { BenchCase } from './cases.ts';
import type { MeasuredServer } from './child.ts';
import { fetchOnce, generateLoad, type LoadRequest } from './load.ts';
import type { ProcessorTime } from './postgres-time.ts';
import type { Measurement } from './results.ts';

export interface BenchOptions {
  readonly connections: readonly number[];
  /** Rounds of each server; odd, for the median. */
  readonly rounds: number;
  readonly seconds: number;
  /** Only cases whose name has this text in it. */
  readonly only: string;
  /** Path of another checkout whose server is measured as well. */
  readonly against?: string | undefined;
  readonly progress: (text: string) => void;
  /** Of the database behind the servers; absent: not measured. */
  readonly postgresTime?: ProcessorTime;
}

/** A server and what it is asked, by name; in this order it has its turn. */
export type Contestants<Name extends string> = Readonly<
  Record<Name, { readonly server: MeasuredServer; readonly requests: readonly LoadRequest[] }>
>;

/** A value for each of them. */
function forEach<Name extends string, Value>(
  contestants: Contestants<Name>,
  value: (name: Name) => Value,
): Record<Name, Value> {
  const names = Object.keys(contestants) as Name[];
  return Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Name, Value>;
}

/** Where a floor answers a case. */
export function floorPath({ name }: BenchCase): string {
  return `/${encodeURIComponent(name)}`;
}

/** The same bytes for every server, but for the path. */
export function graphqlRequests(bench: BenchCase, path: string): LoadRequest[] {
  return bench.requests.map(({ headers, variables }) => ({
    path,
    headers,
    body: JSON.stringify({ query: bench.query, variables }),
  }));
}

/** Bytes of the answers by server and request. @throws unless every server answers the same JSON, and data at that */
export async function checkAnswers<Name extends string>(
  { name, requests, equality, endpoint }: BenchCase,
  contestants: Contestants<Name>,
): Promise<Record<Name, number[]>> {
  const lengths = forEach(contestants, (): number[] => []);
  const names = Object.keys(lengths) as Name[];
  const isFailure = (answer: string) => endpoint === undefined && !answer.startsWith('{"data":');
  for (const index of requests.keys()) {
    const texts = await Promise.all(
      names.map((each) => fetchOnce(contestants[each].server.port, contestants[each].requests[index]!)),
    );
    const answers = texts.map((text) => comparable(text, equality));
    if (answers.some((answer) => answer !== answers[0]) || isFailure(answers[0]!)) {
      const shown = names.map((each, position) => `${each}: ${answers[position]!.slice(0, 2000)}`);
      throw new Error(
        `the answers to request ${index + 1} of the case "${name}" differ:\n${shown.join('\n')}`,
      );
    }
    names.forEach((each, position) => {
      lengths[each].push(Buffer.byteLength(texts[position]!));
    });
  }
  return lengths;
}

/** Answers that count as equal have equal texts. */
function comparable(answer: string, equality: BenchCase['equality']): string {
  const simplify = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      const items = value.map(simplify);
      return equality === undefined ? items : items.map((item) => JSON.stringify(item)).sort();
    }
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, simplify(item)]));
    return equality === 'shape' ? typeof value : value;
  };
  return JSON.stringify(simplify(JSON.parse(answer)));
}

/**
 * Requests that a new process answers slower than later ones, because V8 compiles again what it finds to be hot: the processor
 * time of an update by key falls by a third from the first 2,000 requests to number 20,000.
 */
const FIRST_REQUESTS = 20_000;
/** Seconds after which a server that is slow by itself counts as warm. */
const WARM_UP_LIMIT = 10;

/** Has every server answer its first requests before anything is measured. */
export async function warmUp<Name extends string>(
  bench: BenchCase,
  contestants: Contestants<Name>,
  progress: (text: string) => void,
): Promise<void> {
  progress('warming up');
  const expected = await checkAnswers(bench, contestants);
  for (const name of Object.keys(expected) as Name[]) {
    const { server, requests } = contestants[name];
    let missing = FIRST_REQUESTS;
    for (let second = 0; second < WARM_UP_LIMIT && missing > 0; second += 1)
      missing -= (await generateLoad(server.port, requests, expected[name], 16, 1)).requests;
  }
}

/** Measures every server in every round; `warmUp` seconds of each before the first. */
export async function measureRounds<Name extends string>(
  { name }: BenchCase,
  contestants: Contestants<Name>,
  expected: Readonly<Record<Name, readonly number[]>>,
  connections: number,
  warmUp: number,
  { rounds, seconds, progress, postgresTime = () => Number.NaN }: BenchOptions,
): Promise<Record<Name, Measurement[]>> {
  const measure = async (each: Name, duration: number): Promise<Measurement> => {
    const { server, requests } = contestants[each];
    const before = await server.cpuMicroseconds();
    postgresTime();
    const generator = process.cpuUsage();
    const load = await generateLoad(server.port, requests, expected[each], connections, duration);
    const { user, system } = process.cpuUsage(generator);
    const postgres = postgresTime();
    const used = (await server.cpuMicroseconds()) - before;
    return {
      requestsPerSecond: load.requests / load.seconds,
      cpuPerRequest: used / load.requests,
      postgresPerRequest: postgres / load.requests,
      generatorPerRequest: (user + system) / load.requests,
      latencies: load.latencies,
    };
  };
  const measurements = forEach(contestants, (): Measurement[] => []);
  const names = Object.keys(measurements) as Name[];
  for (const each of names) await measure(each, warmUp);
  for (let round = 0; round < rounds; round++) {
    progress(`${name}, ${connections} connections: round ${round + 1} of ${rounds}`);
    // Every other round backwards, so that what drifts does not favour one of them.
    for (const each of round % 2 === 0 ? names : names.toReversed())
      measurements[each].push(await measure(each, seconds));
  }
  return measurements;
}
