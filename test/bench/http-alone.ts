/** What Node's HTTP server costs by itself, which no server made of it gets below. */
import { startMeasured } from './child.ts';
import { generateLoad, type LoadRequest } from './load.ts';
import type { BenchOptions } from './rounds.ts';
import type { HttpAloneOptions } from './servers/http-alone.ts';

/** Microseconds of processor time of one request, by number of connections: the least of all rounds, to which other programs only add. */
export type HttpTime = ReadonlyMap<number, number>;

/** Measures it with these requests, each of which gets `answer`. */
export async function measureHttpAlone(
  requests: readonly LoadRequest[],
  answer: string,
  { connections, rounds, seconds, progress }: BenchOptions,
): Promise<HttpTime> {
  progress('node:http alone');
  const options: HttpAloneOptions = { answer };
  const server = await startMeasured('http-alone.ts', options);
  const expected = requests.map(() => Buffer.byteLength(answer));
  try {
    const times = new Map<number, number>();
    const measure = async (count: number) => {
      const before = await server.cpuMicroseconds();
      const load = await generateLoad(server.port, requests, expected, count, seconds);
      return ((await server.cpuMicroseconds()) - before) / load.requests;
    };
    for (const count of connections) {
      await measure(count);
      const found: number[] = [];
      for (let round = 0; round < rounds; round++) found.push(await measure(count));
      times.set(count, Math.min(...found));
    }
    return times;
  } finally {
    await server.stop();
  }
}
