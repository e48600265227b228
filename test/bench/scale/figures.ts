/** Measured figures, each with the words of docs/benchmarks.md that it is read from: a figure that is measured anew changes both. */
import { readFileSync } from 'node:fs';

const PAGE = readFileSync(new URL('../../../docs/benchmarks.md', import.meta.url), 'utf8');

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Words of the page, with the number. */
  readonly quote: string;
}

/** @param pattern words around the number, which is its group @throws Error when the page does not say it once */
function figure(name: string, unit: string, pattern: RegExp): Figure {
  const [found, ...others] = [...PAGE.matchAll(new RegExp(pattern, 'g'))];
  if (!found || others.length > 0)
    throw new Error(
      `docs/benchmarks.md says ${found ? 'more than once' : 'nowhere'} how much "${name}" is: ${pattern}`,
    );
  return { name, value: Number(found[1]!.replaceAll(',', '')), unit, quote: found[0] };
}

export const FIGURES = {
  read: figure(
    'processor time of a request by key, server',
    'µs',
    /Node's HTTP server with nothing behind it takes 19 \(bound [\d.]+\), and our server (\d+)/,
  ),
  readDatabase: figure('the same, PostgreSQL', 'µs', /Behind our pipelined server Postgres takes (\d+),/),
  nested: figure(
    'a request of two levels, PostgreSQL',
    'µs',
    /processor time is Postgres's: (\d+) of \d+ µs/,
  ),
  nestedAll: figure(
    'the same, with server and load generator',
    'µs',
    /processor time is Postgres's: \d+ of (\d+) µs/,
  ),
  write: figure(
    'processor time of an update by key, server',
    'µs',
    /1\.3 leaves our server 47 µs; it takes (\d+), as much as the floor/,
  ),
  writeDatabase: figure('the same, PostgreSQL', 'µs', /Floor 81, Postgres 101 and (\d+), load generator 23/),
  recorded: figure(
    'recording a write, 1,000 live queries',
    'µs',
    /without a listening server, (\d+) µs with 1,000 live queries/,
  ),
  captured: figure('capturing an event of an insert', 'µs', /insert ([\d.]+) µs, update/),
  idle: figure(
    '4,000 live queries without writes',
    '% of a core',
    /statements\/s; 1\.4 to ([\d.]+) % of a core/,
  ),
  results: figure(
    'changed results',
    '/s of processor time',
    /\| ([\d,]+) results for each second of the server's CPU time/,
  ),
  messages: figure(
    'messages of one result',
    '/s of processor time',
    /ms; ([\d,]+) messages for each second of CPU time/,
  ),
  socket: figure('a socket with a live query', 'kB', /\| L6 \| ([\d.]+) kB/),
  sockets: figure('sockets of one process in a measurement', '', /[\d.]+ kB with ([\d,]+) sockets/),
  events: figure('delivered events of one server', '/s', /\| E1 \| ([\d,]+)\/s, 13 times/),
  queue: figure('the queue of events alone', '/s', /the queue alone ([\d,]+)\/s \(missed\)/),
  changes: figure(
    'changes of the metadata in 30 s, 1,000 live queries',
    '',
    /\| L8 \| (\d+) changes: no socket closed/,
  ),
  memory: figure(
    '`engine serve` under load, small schema',
    'MB',
    /resident at the first answer, under load \| 169 MB, 204 MB \| 121 MB, (\d+) MB/,
  ),
} as const;
