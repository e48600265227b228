/**
 * Read-your-writes across servers: the answer of a mutation tells the client at which position of the primary's log its write is,
 * in a header or a cookie, and reads that bring it back are answered by a server that has replayed it.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Configuration } from '../configuration/configuration.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import { parsePosition, printPosition } from '../database/replicas.ts';
import type { Positions } from '../graphql/request.ts';
import { POSITION } from '../session/variables.ts';
import type { HttpReply } from './context.ts';
import type { HttpRequest } from './request.ts';

const cookieName = ({ word }: Vocabulary) => `${word}-lsn`;

/** Positions by source. */
export class SeenPositions implements Positions {
  readonly #bySource: Map<string, bigint>;
  /** Something was written. */
  isNew = false;

  /** @param text as `print` has it; what cannot be read says nothing */
  constructor(text = '') {
    this.#bySource = new Map();
    for (const item of text.split(',')) {
      const [name = '', lsn = ''] = item.trim().split('=');
      const position = parsePosition(lsn);
      if (position !== undefined) this.#note(decode(name), position);
    }
  }

  of(source: string): bigint | undefined {
    return this.#bySource.get(source);
  }

  written(source: string, position: bigint): void {
    this.isNew = true;
    this.#note(source, position);
  }

  /** `default=0/3000148`, and others after commas. Names are encoded as in addresses. */
  print(): string {
    return [...this.#bySource]
      .map(([name, position]) => `${encodeURIComponent(name)}=${printPosition(position)}`)
      .join(',');
  }

  #note(source: string, position: bigint): void {
    if (position > (this.#bySource.get(source) ?? 0n)) this.#bySource.set(source, position);
  }
}

type Settings = Pick<Configuration, 'vocabulary' | 'readYourWrites' | 'replicaMaxLag'>;

/** The positions that a request brings; undefined: they are not asked for. */
export function positionsOf(headers: IncomingHttpHeaders, { vocabulary, readYourWrites }: Settings) {
  if (readYourWrites === 'off') return undefined;
  return new SeenPositions(
    readYourWrites === 'header'
      ? String(headers[vocabulary.fromCanonical(POSITION)] ?? '')
      : cookieOf(headers.cookie, vocabulary),
  );
}

/** Has an answer carry what its request has written. */
export function addPositions(request: HttpRequest, reply: HttpReply, settings: Settings): void {
  const { positions } = request;
  if (!positions?.isNew) return;
  const text = positions.print();
  reply.header(settings.vocabulary.fromCanonical(POSITION), text);
  if (settings.readYourWrites !== 'cookie') return;
  // A replica that answers has all that is older.
  const age = Math.ceil(settings.replicaMaxLag) + 1;
  const cookie = `${cookieName(settings.vocabulary)}=${encodeURIComponent(text)}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax`;
  request.cookies = [...request.cookies, cookie];
}

function cookieOf(header = '', vocabulary: Vocabulary): string {
  const start = `${cookieName(vocabulary)}=`;
  const found = header
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(start));
  return decode(found?.slice(start.length) ?? '');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
