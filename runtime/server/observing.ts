/** Who takes observations: the log, and where they are enabled metrics and tracing. */

import type { Configuration } from '../configuration/configuration.ts';
import type { Environment } from '../core/environment-template.ts';
import type { CountOperation } from '../graphql/answer.ts';
import { createLastErrors, type LastErrors } from '../observe/logs/last-errors.ts';
import type { Observation, Observer } from '../observe/logs/observe.ts';
import type { Metrics } from '../observe/metrics/metrics.ts';
import { createTracing, type Tracing } from '../observe/tracing/tracing.ts';

export interface Observing {
  /** Hands an observation to all of them. */
  readonly observe: Observer;
  /** Absent unless the API `metrics` or `developer` is enabled. */
  readonly metrics: Metrics | undefined;
  readonly tracing: Tracing;
  /** Absent without the console, which shows them. */
  readonly lastErrors: LastErrors | undefined;
  readonly countOperation: CountOperation | undefined;
  /** Logs an unexpected error. */
  readonly report: (error: unknown) => void;
}

/** @param worker name of this process, where there are several */
export async function openObserving(
  configuration: Configuration,
  environment: Environment,
  log: Observer,
  worker?: string,
): Promise<Observing> {
  const { enabledApis } = configuration;
  const metrics =
    enabledApis.includes('metrics') || enabledApis.includes('developer')
      ? (await import('../observe/metrics/metrics.ts')).createMetrics(
          configuration.metricsEnableHighCardinalityLabels,
          configuration.vocabulary,
          worker,
        )
      : undefined;
  const tracing = createTracing({
    vocabulary: configuration.vocabulary,
    ratio: configuration.tracingSampleRatio,
    withSql: configuration.traceSqlQuery,
    environment,
    count: (outcome, spans) => metrics?.countSpans(outcome, spans),
    report: (message) => log({ kind: 'unstructured', level: 'error', message }),
  });
  const lastErrors = configuration.enableConsole ? createLastErrors() : undefined;
  const others = [metrics?.observe, tracing.observe, lastErrors?.observe].filter(
    (each) => each !== undefined,
  );
  const observeAll = (observation: Observation) => {
    log(observation);
    for (const other of others) other(observation);
  };
  const observe = Object.assign(observeAll, { flush: log.flush });
  return {
    observe,
    metrics,
    tracing,
    lastErrors,
    countOperation: metrics && ((operation) => metrics.observe({ kind: 'operation', ...operation })),
    report: (error) => observe({ kind: 'unhandled-internal-error', error }),
  };
}
