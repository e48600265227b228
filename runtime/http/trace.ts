/**
 * Which trace a request belongs to: the one that its headers name, by B3 or by the W3C's trace context, else a new one. It
 * is in every log line of the request and is sent to the services that are called for it.
 */
import { randomFillSync } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface Trace {
  /** 32 hexadecimal digits, or 16 where a caller counts in those. */
  readonly traceId: string;
  /** 16 hexadecimal digits: this server's part. */
  readonly spanId: string;
  readonly parentId?: string;
}

const B3_TRACE = /^(?:[0-9a-f]{16}|[0-9a-f]{32})$/i;
const SPAN = /^[0-9a-f]{16}$/i;
const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}/i;

export function traceOf(headers: IncomingHttpHeaders): Trace {
  const spanId = randomDigits(16);
  // Most requests have no trace headers.
  if (headers['x-b3-traceid'] === undefined && headers.traceparent === undefined)
    return { traceId: randomDigits(32), spanId };
  const trace = text(headers['x-b3-traceid']);
  const span = text(headers['x-b3-spanid']);
  if (B3_TRACE.test(trace)) {
    const parent = SPAN.test(span) ? { parentId: span.toLowerCase() } : {};
    return { traceId: trace.toLowerCase(), spanId, ...parent };
  }
  const [, traceId, parentId] = TRACE_PARENT.exec(text(headers.traceparent)) ?? [];
  if (traceId !== undefined && parentId !== undefined)
    return { traceId: traceId.toLowerCase(), spanId, parentId: parentId.toLowerCase() };
  return { traceId: randomDigits(32), spanId };
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

/** The headers by which a called service continues the trace. */
export function traceHeaders({ traceId, spanId, parentId }: Trace): Readonly<Record<string, string>> {
  return {
    'x-b3-traceid': traceId,
    'x-b3-spanid': spanId,
    ...(parentId === undefined ? {} : { 'x-b3-parentspanid': parentId }),
    traceparent: `00-${traceId.padStart(32, '0')}-${spanId}-01`,
  };
}

function text(value: string | readonly string[] | undefined): string {
  return typeof value === 'string' ? value : '';
}
