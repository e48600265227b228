/** Makes the metrics of one registry: their prefix, and the buckets that several share. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Vocabulary } from '../../core/vocabulary.ts';

/** Prefix of every name. */
export function prefixOf({ word }: Vocabulary): string {
  return `${word}_`;
}

/** Upper bounds in seconds. */
export const BUCKETS = {
  /** Work that a client waits for. */
  short: [0.01, 0.03, 0.1, 0.3, 1, 3, 10],
  /** Work that may wait for others. */
  long: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100],
  /** Waits that are mostly none. */
  wait: [0.000001, 0.0001, 0.01, 0.1, 0.3, 1, 3, 10, 30, 100],
  /** Operations beside each other. */
  fine: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
  /** Looks at a queue. */
  fetch: [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100],
} as const;

export interface Family {
  counter(name: string, help: string, labelNames?: readonly string[]): Counter;
  /** @param joined how the values of several processes are one */
  gauge(name: string, help: string, labelNames?: readonly string[], joined?: 'sum' | 'max'): Gauge;
  histogram(
    name: string,
    help: string,
    buckets: readonly number[],
    labelNames?: readonly string[],
  ): Histogram;
}

/** Names are given without the prefix. */
export function familyOf(registry: Registry, prefix: string): Family {
  const common = (name: string, help: string, labelNames: readonly string[] = []) => ({
    name: `${prefix}${name}`,
    help,
    labelNames: [...labelNames],
    registers: [registry],
  });
  return {
    counter: (name, help, labels) => new Counter(common(name, help, labels)),
    gauge: (name, help, labels, joined = 'sum') =>
      new Gauge({ ...common(name, help, labels), aggregator: joined }),
    histogram: (name, help, buckets, labels) =>
      new Histogram({ ...common(name, help, labels), buckets: [...buckets] }),
  };
}
