/**
 * Which trace a request belongs to: the one that its headers name, by B3 or by the W3C's trace context, else a new one. It
 * is in every log line of the request and is sent to the services that are called for it.
 */
import { randomFillSync } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Header } from './message.ts';

export interface Trace {
  /** 32 hexadecimal digits, or 16 where a caller counts in those. */
  readonly traceId: string;
  /** 16 hexadecimal digits: this server's part. */
  readonly spanId: string;
  readonly parentId?: string;
  /** Whether it is recorded, where the caller or this server has decided. */
  readonly sampled?: boolean;
}

const B3_TRACE = /^(?:[0-9a-f]{16}|[0-9a-f]{32})$/i;
const SPAN = /^[0-9a-f]{16}$/i;
const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})/i;
/** B3 in one header. */
const B3 = /^([0-9a-f]{16}|[0-9a-f]{32})-([0-9a-f]{16})(?:-([01d]))?/i;

/** @param sample decides where the caller has not */
export function traceOf(
  headers: IncomingHttpHeaders,
  sample?: (traceId: string) => boolean | undefined,
): Trace {
  const trace = traceNamed(headers);
  const sampled = samplingOf(headers) ?? sample?.(trace.traceId);
  return sampled === undefined ? trace : { ...trace, sampled };
}

function traceNamed(headers: IncomingHttpHeaders): Trace {
  const spanId = randomDigits(16);
  // Most requests have no trace headers.
  if (!hasTrace(headers)) return { traceId: randomDigits(32), spanId };
  const [, b3Trace = text(headers['x-b3-traceid']), b3Span = text(headers['x-b3-spanid'])] =
    B3.exec(text(headers.b3)) ?? [];
  if (B3_TRACE.test(b3Trace)) {
    const parent = SPAN.test(b3Span) ? { parentId: b3Span.toLowerCase() } : {};
    return { traceId: b3Trace.toLowerCase(), spanId, ...parent };
  }
  const [, traceId, parentId] = TRACE_PARENT.exec(text(headers.traceparent)) ?? [];
  if (traceId !== undefined && parentId !== undefined)
    return { traceId: traceId.toLowerCase(), spanId, parentId: parentId.toLowerCase() };
  return { traceId: randomDigits(32), spanId };
}

function hasTrace(headers: IncomingHttpHeaders): boolean {
  return (
    headers['x-b3-traceid'] !== undefined || headers.traceparent !== undefined || headers.b3 !== undefined
  );
}

/** The caller's decision about sampling; undefined: none. */
function samplingOf(headers: IncomingHttpHeaders): boolean | undefined {
  if (!hasTrace(headers) && headers['x-b3-sampled'] === undefined) return undefined;
  if (headers['x-b3-flags'] === '1') return true;
  const [, , , short] = B3.exec(text(headers.b3)) ?? [];
  const b3 = short ?? text(headers['x-b3-sampled']);
  if (/^(1|d|true)$/.test(b3)) return true;
  if (/^(0|false)$/.test(b3)) return false;
  const [, , , flags] = TRACE_PARENT.exec(text(headers.traceparent)) ?? [];
  return flags === undefined ? undefined : (Number.parseInt(flags, 16) & 1) === 1;
}

/** Random bytes are asked for in portions of so many. */
const PORTION = Buffer.alloc(6144);
let digits = '';
let used = 0;

/** Random hexadecimal digits. */
function randomDigits(count: number): string {
  if (used + count > digits.length) {
    digits = randomFillSync(PORTION).toString('hex');
    used = 0;
  }
  used += count;
  return digits.slice(used - count, used);
}

/** A call within a trace, or the begin of a new one. */
export function traceBelow(trace: Trace | undefined): Trace {
  const spanId = randomDigits(16);
  if (trace === undefined) return { traceId: randomDigits(32), spanId };
  const { traceId, spanId: parentId, sampled } = trace;
  return { traceId, spanId, parentId, ...(sampled === undefined ? {} : { sampled }) };
}

/** The headers by which a called service continues the trace. */
export function traceHeaders({ traceId, spanId, parentId, sampled }: Trace): readonly Header[] {
  const headers: Header[] = [
    ['x-b3-traceid', traceId],
    ['x-b3-spanid', spanId],
    ['traceparent', `00-${traceId.padStart(32, '0')}-${spanId}-${sampled === false ? '00' : '01'}`],
  ];
  if (parentId !== undefined) headers.push(['x-b3-parentspanid', parentId]);
  if (sampled !== undefined) headers.push(['x-b3-sampled', sampled ? '1' : '0']);
  return headers;
}

function text(value: string | readonly string[] | undefined): string {
  return typeof value === 'string' ? value : '';
}
