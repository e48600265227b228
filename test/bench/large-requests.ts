/** For how long a server is busy at a stretch with one large request, for each megabyte of it. */
import WebSocket from 'ws';
import { startEmbeddedPostgres } from '../../compiler/offline/embedded.ts';
import { createScratchDatabase } from '../fuzz/scratch-database.ts';
import { LARGE, SLOW } from '../fuzz/sockets/large.ts';
import type { Multiplied } from '../fuzz/sockets/multiplied.ts';
import { startPeers } from '../fuzz/sockets/peers.ts';
import { startFuzzedServer } from '../fuzz/sockets/server.ts';
import { worldSql } from '../fuzz/sockets/world.ts';
import { alignedTable } from './results.ts';

export interface LargeFigure {
  readonly text: string;
  readonly megabytes: number;
  /** Milliseconds of processor time of the serving thread, the longest stretch. */
  readonly stall: number;
  /** Its beginning. */
  readonly answer: string;
}

/** Milliseconds for each megabyte begun: of the fuzzer, and what the kinds take that miss it. */
const LIMIT = 100;
const SLOW_LIMIT = 1500;

const BYTES = 1_000_000;
const RUNS = 3;

export async function benchLargeRequests(progress: (text: string) => void): Promise<LargeFigure[]> {
  const cluster = await startEmbeddedPostgres();
  const peers = await startPeers(1);
  const scratch = await createScratchDatabase(cluster.url, 'large', [`statement_timeout = '2s'`]);
  await scratch.client.query(worldSql);
  const server = await startFuzzedServer(scratch.url, peers.url);
  const figures: LargeFigure[] = [];
  try {
    for (const [text, make] of Object.entries(LARGE)) {
      let stall = Number.POSITIVE_INFINITY;
      let answer = '';
      let megabytes = 0;
      for (let run = 0; run < RUNS; run += 1) {
        // Another size, so that no plan is kept for it.
        const request = make(BYTES - run * 1000);
        const body = `{"query":${JSON.stringify(request.query)},"variables":${request.variables ?? '{}'}}`;
        await server.inside(true);
        answer = await ask(server.port, request, body);
        stall = Math.min(stall, (await server.inside()).stall);
        megabytes = body.length / 1e6;
      }
      figures.push({ text, megabytes, stall, answer: answer.slice(0, 100) });
      progress(`${text}: ${stall.toFixed(0)} ms, ${answer.slice(0, 150)}`);
    }
  } finally {
    await server.stop();
    peers.close();
    await scratch.drop();
    await cluster.stop();
  }
  return figures;
}

async function ask(port: number, { query }: Multiplied, body: string): Promise<string> {
  if (!query.startsWith('subscription')) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    return answer.text();
  }
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/graphql`, 'graphql-transport-ws');
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send('{"type":"connection_init"}');
  socket.send(`{"type":"subscribe","id":"1","payload":${body}}`);
  const text = await new Promise<string>((resolve) => {
    socket.on('close', (code, reason) => resolve(`${code} ${reason}`));
    socket.on('message', (data) => {
      const message = String(data);
      if (/"type":"(next|error)"/.test(message)) resolve(message);
    });
  });
  socket.terminate();
  return text;
}

const limitOf = ({ text, megabytes }: LargeFigure) =>
  Math.ceil(megabytes) * (SLOW.has(text) ? SLOW_LIMIT : LIMIT);

/** True if no figure is above its limit. */
export function servesWithinLimits(figures: readonly LargeFigure[]): boolean {
  return figures.every((figure) => figure.stall <= limitOf(figure));
}

export function largeTable(figures: readonly LargeFigure[]): string {
  const rows = figures.map((figure) => [
    figure.text,
    figure.megabytes.toFixed(2),
    `${figure.stall.toFixed(0)} ms`,
    `${limitOf(figure)} ms`,
    servesWithinLimits([figure]) ? '' : 'ABOVE',
  ]);
  return alignedTable([['request', 'MB', 'stall', 'limit', ''], ...rows]);
}
