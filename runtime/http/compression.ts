/** gzip of answers. */
import { constants, gzip } from 'node:zlib';
import type { HttpReply } from './context.ts';
import type { HttpRequest } from './request.ts';

/** Bytes below which compressing gains nothing. */
const MIN_SIZE = 700;
/** Bytes above which a better compression is worth its time. */
const LARGE = 20_000;
/** Characters above which a text is encoded first: its length would be counted for each use otherwise. */
const ENCODED_FIRST = 16_384;

type Decision = 'never' | 'when-large' | 'always';

/** The body of an answer, compressed where the client accepts that and it gains something. Notes its size. */
export function compress(
  request: HttpRequest,
  reply: HttpReply,
  text: string | Uint8Array,
  done: (error: Error | null, body?: string | Uint8Array) => void,
): void {
  const body = typeof text === 'string' && text.length > ENCODED_FIRST ? Buffer.from(text) : text;
  const size = Buffer.byteLength(body);
  request.responseSize = size;
  request.uncompressedResponseSize = size;
  if (size >= MIN_SIZE)
    addVary(reply.getHeader('vary'), (value) => reply.header('vary', value), 'Accept-Encoding');
  const decision = decide(request.headers['accept-encoding']);
  if (decision === 'never' || (decision === 'when-large' && size < MIN_SIZE)) {
    done(null, body);
    return;
  }
  const level = size > LARGE ? constants.Z_DEFAULT_COMPRESSION : constants.Z_BEST_SPEED;
  gzip(body, { level }, (error, compressed) => {
    if (error) {
      done(error);
      return;
    }
    request.responseSize = compressed.length;
    reply.header('content-encoding', 'gzip');
    done(null, compressed);
  });
}

/** Names one more request header that the answer depends on. */
export function addVary(current: unknown, set: (value: string) => void, name: string): void {
  set(typeof current === 'string' && current !== '' ? `${current}, ${name}` : name);
}

/** Whether an answer may be compressed, by `Accept-Encoding`. */
function decide(accept: string | undefined): Decision {
  if (accept === undefined || !accept.includes('gzip')) return 'never';
  const quality = new Map<string, number>();
  for (const part of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    quality.set(name, q === undefined ? 1 : Number(q.slice(2)));
  }
  if (!(quality.get('gzip')! > 0)) return 'never';
  const identity = quality.get('identity') ?? quality.get('*');
  return identity === 0 ? 'always' : 'when-large';
}
