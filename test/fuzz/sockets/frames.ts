/** What clients of WebSockets send: messages of both protocols, whole and damaged, in frames of every kind. */
import type { Random } from '../random.ts';
import { hostileRequest } from './documents.ts';
import { damaged, hostileJson, KEYS, printable } from './texts.ts';

/** Everything that one client sends on one connection. */
export interface SocketCase {
  readonly head: Buffer;
  readonly frames: readonly Buffer[];
  /** The last frame may be the beginning of one: the client ends its side. */
  readonly isCut: boolean;
}

const TYPES = [
  'subscribe',
  'subscribe',
  'start',
  'start',
  'complete',
  'stop',
  'ping',
  'ping',
  'pong',
  'connection_init',
  'connection_terminate',
  'ka',
  '__proto__',
  'constructor',
];

/** @param count frames beside `connection_init` */
export function socketCase(random: Random, count: number): SocketCase {
  const protocol = random.pick(['graphql-transport-ws', 'graphql-ws']);
  const isOld = protocol === 'graphql-ws';
  const frames: Buffer[] = [];
  if (random.chance(0.8)) frames.push(frame(TEXT, Buffer.from(init(random, random.chance(0.9)))));
  // The newer protocol ends the connection with the first message that it cannot read.
  const length = isOld ? count : Math.min(count, random.between(1, 3));
  for (let index = 0; index < length; index += 1) frames.push(...randomFrames(random));
  const isCut = random.chance(0.05);
  if (isCut) frames.push(broken(random));
  return { head: upgrade(random, protocol), frames, isCut };
}

function upgrade(random: Random, protocol: string): Buffer {
  const path = random.pick([
    '/v1/graphql',
    '/v1/graphql',
    '/v1/graphql',
    '/v1alpha1/graphql',
    '/v1beta1/relay',
  ]);
  const odd = (value: string, other: readonly string[]) => (random.chance(0.98) ? value : random.pick(other));
  return Buffer.from(
    [
      `GET ${odd(path, ['/', '/%zz', '//', '/v1/graphql?%', '/v1/graphql/'])} HTTP/1.1`,
      'Host: x',
      `Connection: ${odd('Upgrade', ['upgrade, keep-alive', 'close'])}`,
      `Upgrade: ${odd('websocket', ['h2c', 'WebSocket', ''])}`,
      `Sec-WebSocket-Version: ${odd('13', ['8', '', '13, 8'])}`,
      `Sec-WebSocket-Key: ${odd('AAAAAAAAAAAAAAAAAAAAAA==', ['', 'x', '\xff'])}`,
      `Sec-WebSocket-Protocol: ${odd(protocol, ['', ',', 'x', `${protocol},${protocol}`, 'a b'])}`,
      ...(random.chance(0.02) ? [`x-engine-role: ${random.pick(['', '\xe9', '__proto__'])}`] : []),
      ...(random.chance(0.02)
        ? [`Sec-WebSocket-Extensions: ${random.pick(['permessage-deflate', 'x; y=', ';'])}`]
        : []),
      '\r\n',
    ].join('\r\n'),
    'latin1',
  );
}

function init(random: Random, plausible: boolean): string {
  if (plausible) return '{"type":"connection_init","payload":{}}';
  const name = random.pick(['x-engine-role', 'x-request-id', 'cookie', 'authorization', ...KEYS]);
  const headers = random.chance(0.7) ? `{"${name}":${hostileJson(random, 0)}}` : hostileJson(random);
  return `{"type":"connection_init","payload":{"headers":${headers}}}`;
}

function message(random: Random): string {
  if (random.chance(0.04)) return hostileJson(random);
  if (random.chance(0.04)) return init(random, random.chance(0.3));
  const type = random.chance(0.97) ? `"${random.pick(TYPES)}"` : hostileJson(random);
  const id = random.chance(0.9) ? `"${random.pick(['1', '2', '3', 'x'])}"` : hostileJson(random, 1);
  const payload = random.chance(0.75) ? hostileRequest(random) : hostileJson(random, 3);
  const parts = [`"type":${type}`, `"id":${id}`, `"payload":${payload}`].filter(() => random.chance(0.97));
  if (random.chance(0.03)) parts.push(`"${random.pick(KEYS)}":${hostileJson(random)}`);
  if (parts.length > 0 && random.chance(0.03)) parts.push(parts[0]!);
  return `{${random.shuffle(parts).join(',')}}`;
}

const CONTINUATION = 0;
const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

function randomFrames(random: Random): Buffer[] {
  const kind = random.below(100);
  if (kind < 80) return [frame(TEXT, damaged(random, message(random)))];
  if (kind < 85) return [frame(BINARY, damaged(random, message(random)))];
  if (kind < 90) return fragments(random, damaged(random, message(random)));
  if (kind < 95) return [frame(random.pick([PING, PONG]), Buffer.alloc(random.pick([0, 1, 125]), 0xff))];
  if (kind < 99) return [frame(TEXT, Buffer.from(message(random)))];
  return [frame(CLOSE, closing(random))];
}

function closing(random: Random): Buffer {
  const code = Buffer.alloc(2);
  code.writeUInt16BE(random.pick([1000, 1001, 3000, 4400, 4999, 0, 999, 1005, 1006, 1015, 65_535]));
  const reason = Buffer.from(random.pick(['', 'bye', '\ufeff', 'x'.repeat(123)]));
  return random.pick([
    Buffer.alloc(0),
    Buffer.alloc(1),
    code,
    Buffer.concat([code, reason]),
    Buffer.from([3, 232, 0xff]),
  ]);
}

function fragments(random: Random, bytes: Buffer): Buffer[] {
  const first = random.below(bytes.length + 1);
  const parts = [
    frame(TEXT, bytes.subarray(0, first), { isLast: false }),
    ...(random.chance(0.3) ? [frame(PING, Buffer.alloc(3))] : []),
    frame(CONTINUATION, bytes.subarray(first), { isLast: !random.chance(0.05) }),
  ];
  return random.chance(0.9) ? parts : parts.reverse();
}

function broken(random: Random): Buffer {
  const text = Buffer.from('{"type":"ping"}');
  switch (random.below(7)) {
    case 0:
      return frame(random.pick([3, 4, 7, 11, 15]), text);
    case 1:
      return frame(TEXT, text, { reserved: random.pick([0x40, 0x20, 0x10]) });
    case 2:
      return frame(TEXT, text, { isMasked: false });
    case 3:
      return frame(random.pick([PING, CLOSE]), Buffer.alloc(200));
    case 4:
      // It promises more than comes: 4 GB, or 2^63 bytes.
      return Buffer.from([
        0x81,
        0xff,
        ...random.pick([
          [0, 0, 0, 1],
          [0x7f, 255, 255, 255],
        ]),
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
      ]);
    case 5:
      return frame(random.pick([PING, CLOSE]), Buffer.alloc(2), { isLast: false });
    default:
      return Buffer.from(random.list(random.between(1, 60), () => random.below(256)));
  }
}

/** A frame of a client; its mask is 0, so its bytes are those of the payload. */
export function frame(
  opcode: number,
  payload: Buffer,
  { isLast = true, isMasked = true, reserved = 0 } = {},
): Buffer {
  const { length } = payload;
  const first = (isLast ? 0x80 : 0) | reserved | opcode;
  const mask = isMasked ? 0x80 : 0;
  const key = Buffer.alloc(isMasked ? 4 : 0);
  if (length < 126) return Buffer.concat([Buffer.from([first, mask | length]), key, payload]);
  const head = Buffer.alloc(length < 65_536 ? 4 : 10);
  head[0] = first;
  if (length < 65_536) {
    head[1] = mask | 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = mask | 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, key, payload]);
}

/** The last frame of every client: the server closes once it has read all before it. */
export const GOODBYE = frame(CLOSE, Buffer.from([3, 232]));

export function describeSocket({ head, frames }: SocketCase): string {
  return [printable(head), ...frames.map((each) => `frame: ${printable(each)}`)].join('\n');
}
