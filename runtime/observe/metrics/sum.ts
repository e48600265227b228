/** The figures of several processes on one page. */
import { AggregatorRegistry, type MetricObject, type Registry } from 'prom-client';

/** The metrics of a registry as data. */
export type Figures = readonly MetricObject[];

/** Label of figures of a process itself, such as its memory, which are not added up. */
export const WORKER_LABEL = 'worker';

/** A registry in which equal series are added up, or joined as their metrics say. */
export function sumOf(processes: readonly Figures[]): Registry {
  return AggregatorRegistry.aggregate(processes.map((figures) => [...figures]));
}

/** What remains true of a process that has ended: what it counted. */
export async function lasting(processes: readonly Figures[]): Promise<Figures> {
  const sums = (await sumOf(processes).getMetricsAsJSON()) as unknown as readonly SumMetric[];
  return sums.flatMap((metric) => {
    if (metric.type !== 'counter' && metric.type !== 'histogram') return [];
    const values = metric.values.filter(({ labels }) => !Object.hasOwn(labels, WORKER_LABEL));
    return values.length === 0 ? [] : [{ ...metric, values } as unknown as MetricObject];
  });
}

interface SumMetric {
  readonly type: string;
  readonly values: readonly { readonly labels: object }[];
}
