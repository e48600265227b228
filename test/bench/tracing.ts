/** What traces cost: a server that traces a part of its requests beside one that traces none. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { freePort } from '../harness/free-port.ts';
import type { BenchOptions } from './rounds.ts';
import { benchReads, type SwitchResult, switchTable } from './switched.ts';

const PACKAGES = fileURLToPath(new URL('../opentelemetry', import.meta.url));

/** Takes what is exported to it, as a collector does, and throws it away. */
async function startSink() {
  let bytes = 0;
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => response.end());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    received: () => bytes,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** With 1 % and all of the requests traced, and with all of them and no collector. @throws Error when nothing was exported */
export async function benchTracing(options: BenchOptions): Promise<Record<string, readonly SwitchResult[]>> {
  const sink = await startSink();
  try {
    const measure = (endpoint: string, ratio: number) =>
      benchReads({ on: { tracing: { endpoint, ratio, packages: PACKAGES } }, off: {} }, options);
    const some = await measure(sink.endpoint, 0.01);
    const all = await measure(sink.endpoint, 1);
    if (sink.received() === 0)
      throw new Error(
        'nothing was exported: are the packages of test/opentelemetry installed (npm install)?',
      );
    const down = await measure(`http://127.0.0.1:${await freePort()}/v1/traces`, 1);
    return { '1 % traced': some, 'all traced': all, 'all traced, no collector': down };
  } finally {
    sink.close();
  }
}

/** The results as tables. */
export function tracingTable(results: Readonly<Record<string, readonly SwitchResult[]>>): string {
  return Object.entries(results)
    .map(([name, rows]) => switchTable(name, rows))
    .join('\n\n');
}
