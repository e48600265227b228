/**
 * Sends spans to a collector by OTLP over HTTP, in batches. The packages that print and send them are loaded when tracing is
 * switched on, from where the operator installed them.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serverVersion } from '../../configuration/version.ts';
import { headerProblem, inBytes } from '../../core/header-text.ts';
import type { TraceSettings } from './settings.ts';

/** Packages to install for tracing. */
const TRACING_PACKAGES =
  '@opentelemetry/api@1.9.0 @opentelemetry/exporter-trace-otlp-proto@0.223.1 @opentelemetry/resources@2.12.1';

/** Times by Date.now(), with fractions. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId?: string | undefined;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client';
  readonly began: number;
  readonly ended: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Why it failed. */
  readonly failure?: string | undefined;
}

export interface SpanExporter {
  /** Never waits; drops the span where too many wait. */
  readonly add: (span: Span) => void;
  /** Sends what waits, for a few seconds at most. */
  readonly stop: () => Promise<void>;
}

/** Outcome of spans: those of `buffer_full` and `send_failed` are lost. */
export type CountSpans = (outcome: 'sent' | 'buffer_full' | 'send_failed', count: number) => void;

/** Spans that may wait. */
const BUFFER = 4096;
/** Milliseconds after which a batch that is not full is sent, and that sending may take. */
const SEND_AFTER = 1000;
const SEND_TIMEOUT = 5000;

/** The part of the packages that is used. */
interface Packages {
  readonly OTLPTraceExporter: new (options: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly timeoutMillis: number;
  }) => {
    export(spans: readonly object[], done: (result: { readonly code: number }) => void): void;
    shutdown(): Promise<void>;
  };
  readonly resourceFromAttributes: (attributes: Readonly<Record<string, string>>) => object;
}

/** @throws Error saying which packages are missing, or which header cannot be sent */
export function createExporter(
  { url, headers, resource: attributes, batchSize }: TraceSettings,
  count: CountSpans,
): SpanExporter {
  for (const [name, value] of Object.entries(headers)) {
    const problem = headerProblem(name, value);
    if (problem !== undefined) throw new Error(problem);
  }
  const { OTLPTraceExporter, resourceFromAttributes } = loadPackages();
  const exporter = new OTLPTraceExporter({ url, headers: inBytes(headers), timeoutMillis: SEND_TIMEOUT });
  const resource = resourceFromAttributes({ 'service.name': 'engine', ...attributes });
  const scope = { name: 'engine', version: serverVersion };
  let waiting: Span[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  const sendBatch = async () => {
    const batch = waiting.splice(0, batchSize);
    const code = await new Promise<number>((done) => {
      exporter.export(
        batch.map((span) => readable(span, resource, scope)),
        (result) => done(result.code),
      );
    });
    count(code === 0 ? 'sent' : 'send_failed', batch.length);
  };
  const send = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    sending ??= sendBatch()
      .catch(() => {})
      .finally(() => {
        sending = undefined;
        if (waiting.length >= batchSize) void send();
        else if (waiting.length > 0) timer ??= setTimeout(send, SEND_AFTER).unref();
      });
    return sending;
  };
  return {
    add: (span) => {
      if (waiting.length >= BUFFER) {
        count('buffer_full', 1);
        return;
      }
      waiting.push(span);
      if (waiting.length >= batchSize) void send();
      else timer ??= setTimeout(send, SEND_AFTER).unref();
    },
    stop: async () => {
      const end = performance.now() + SEND_TIMEOUT;
      while ((waiting.length > 0 || sending) && performance.now() < end) await send();
      count('send_failed', waiting.length);
      waiting = [];
      clearTimeout(timer);
      await exporter.shutdown().catch(() => {});
    },
  };
}

const KINDS = { internal: 0, server: 1, client: 2 } as const;
/** Flags of a span that is sampled; status of one that failed, and of any other. */
const SAMPLED = 1;
const ERROR = 2;
const UNSET = 0;

/** The form that exporters of OpenTelemetry take. */
function readable(span: Span, resource: object, instrumentationScope: object): object {
  const { traceId, spanId, parentId, name, kind, began, ended, attributes, failure } = span;
  const context = (id: string) => ({ traceId: traceId.padStart(32, '0'), spanId: id, traceFlags: SAMPLED });
  return {
    name,
    kind: KINDS[kind],
    spanContext: () => context(spanId),
    ...(parentId && { parentSpanContext: context(parentId), parentSpanId: parentId }),
    startTime: time(began),
    endTime: time(ended),
    duration: time(ended - began),
    ended: true,
    status: failure === undefined ? { code: UNSET } : { code: ERROR, message: failure },
    attributes,
    links: [],
    events: [],
    resource,
    instrumentationScope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Seconds and nanoseconds. */
function time(milliseconds: number): readonly [number, number] {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
}

function loadPackages(): Packages {
  // Beside this program, or in the working directory.
  const places = [import.meta.url, pathToFileURL(join(process.cwd(), 'package.json')).href];
  const load = (name: string): object => {
    for (const place of places) {
      try {
        return createRequire(place)(name) as object;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
      }
    }
    throw new Error(`tracing needs packages that are not installed: npm install ${TRACING_PACKAGES}`);
  };
  const exporter = load('@opentelemetry/exporter-trace-otlp-proto');
  const resources = load('@opentelemetry/resources');
  return { ...exporter, ...resources } as unknown as Packages;
}
