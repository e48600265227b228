/**
 * Traces of requests: spans made of what the rest of the server observes (observe.ts), when it is over, so that requests
 * wait for nothing. Which requests are traced is decided at their start: as their caller says, else by their trace id.
 */

import { randomBytes } from 'node:crypto';
import type { Environment } from '../../core/environment-template.ts';
import type { Vocabulary } from '../../core/vocabulary.ts';
import type { Trace } from '../../outgoing/trace.ts';
import type { Observation } from '../logs/observe.ts';
import type { CountSpans, Span, SpanExporter } from './exporter.ts';
import { readTraceSettings } from './settings.ts';

export interface Tracing {
  /** Takes over the metadata's `opentelemetry`; undefined switches tracing off. */
  readonly configure: (settings: object | undefined) => void;
  /** Whether a request is traced that no caller has decided about; undefined: nothing is traced. */
  readonly sample: (traceId: string) => boolean | undefined;
  readonly observe: (observation: Observation) => void;
  readonly stop: () => Promise<void>;
}

export interface TracingOptions {
  readonly vocabulary: Vocabulary;
  /** Share of the requests that are traced where their callers say nothing: 0 to 1. */
  readonly ratio: number;
  /** Spans of statements have their SQL. */
  readonly withSql: boolean;
  readonly environment: Environment;
  readonly count: CountSpans;
  readonly report: (message: string) => void;
}

/** Digits of a trace id that decide. */
const DIGITS = 12;

export function createTracing(options: TracingOptions): Tracing {
  const { vocabulary, ratio, withSql, environment, count, report } = options;
  let exporter: SpanExporter | undefined;
  let configured = '';
  let changing: Promise<void> = Promise.resolve();
  const sample = (traceId: string) =>
    exporter && Number.parseInt(traceId.slice(-DIGITS), 16) < ratio * 16 ** DIGITS;
  const add = (
    trace: Trace | undefined,
    seconds: number,
    span: Pick<Span, 'name' | 'kind' | 'attributes' | 'failure'> & Partial<Span>,
  ) => {
    if (!exporter || !trace?.sampled) return;
    const ended = span.ended ?? now();
    exporter.add({
      traceId: trace.traceId,
      spanId: newSpanId(),
      parentId: trace.spanId,
      began: ended - seconds * 1000,
      ended,
      ...span,
    });
  };
  const observe = (observation: Observation): void => {
    if (!exporter) return;
    switch (observation.kind) {
      case 'http-request': {
        const { trace, method, url, status, executionTime, error } = observation;
        add(trace, executionTime, {
          spanId: trace.spanId,
          parentId: trace.parentId,
          name: `${method} ${url}`,
          kind: 'server',
          attributes: {
            'http.request.method': method,
            'url.path': url,
            'http.response.status_code': status,
            [vocabulary.dotted('request_id')]: observation.requestId,
          },
          failure: error && `${error.code}: ${error.error}`,
        });
        return;
      }
      case 'traced-operation': {
        const { trace, operationName, seconds, statements, failure } = observation;
        const spanId = newSpanId();
        add(trace, seconds, {
          spanId,
          name: 'GraphQL Operation',
          kind: 'internal',
          attributes: operationName === undefined ? {} : { 'graphql.operation.name': operationName },
          failure,
        });
        for (const { source, text, seconds, ended } of statements)
          add(trace, seconds, {
            parentId: spanId,
            ended,
            name: `postgres ${source}`,
            kind: 'client',
            attributes: {
              'db.system.name': 'postgresql',
              [vocabulary.dotted('source')]: source,
              ...(withSql && { 'db.query.text': text }),
            },
          });
        return;
      }
      case 'action': {
        const { trace, seconds, action, status } = observation;
        add(trace, seconds, {
          name: `action ${action}`,
          kind: 'client',
          ...called(status, { [vocabulary.dotted('action')]: action }),
        });
        return;
      }
      case 'remote-call': {
        const { trace, seconds, remote, status } = observation;
        add(trace, seconds, {
          name: `remote schema ${remote}`,
          kind: 'client',
          ...called(status, { [vocabulary.dotted('remote_schema')]: remote }),
        });
        return;
      }
      case 'event-invocation': {
        const { trace, seconds, trigger = 'one-off', status } = observation;
        const sampled = trace && { ...trace, sampled: trace.sampled ?? sample(trace.traceId) ?? false };
        add(sampled, seconds, {
          name: `event trigger ${trigger}`,
          kind: 'client',
          ...called(status ?? undefined, { [vocabulary.dotted('event_trigger')]: trigger }),
        });
      }
    }
  };
  const change = async (settings: object | undefined) => {
    const read = readTraceSettings(settings, environment);
    const before = exporter;
    exporter = undefined;
    await before?.stop();
    if (!read) return;
    if ('problem' in read) {
      report(`nothing is traced: ${read.problem}`);
      return;
    }
    const { createExporter } = await import('./exporter.ts');
    exporter = createExporter(read, count);
  };
  return {
    configure: (settings) => {
      const text = JSON.stringify(settings ?? {});
      if (text === configured) return;
      configured = text;
      changing = changing
        .then(() => change(settings))
        .catch((error: unknown) => report(`nothing is traced: ${(error as Error).message}`));
    },
    sample,
    observe,
    stop: async () => {
      await changing;
      await exporter?.stop();
      exporter = undefined;
    },
  };
}

function called(status: number | undefined, attributes: Span['attributes']) {
  if (status === undefined) return { attributes, failure: 'no answer' };
  return {
    attributes: { ...attributes, 'http.response.status_code': status },
    failure: status < 400 ? undefined : `status ${status}`,
  };
}

function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

/** Milliseconds since 1970, with fractions. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
