/** The figures of a registry as JSON, for people: a histogram is its count and its sum. */
import type { MetricObjectWithValues, MetricValue, MetricValueWithName, Registry } from 'prom-client';

/** Figures by name. */
export type MetricsReport = Readonly<Record<string, ReportedMetric>>;

interface ReportedMetric {
  readonly type: string;
  readonly help: string;
  readonly values: readonly ReportedValue[];
  /** Values beyond the maximum; absent if there are none. */
  readonly left_out?: number;
}

/** Absent labels: the metric has none. */
type ReportedValue = { readonly labels?: Labels } & (
  | { readonly value: number }
  | { readonly count: number; readonly sum: number }
);

type Labels = Readonly<Record<string, string | number>>;

/** Maximum of values per metric: labels that clients choose (`metrics-enable-high-cardinality-labels`) have no bound. */
const MAX_VALUES = 1000;

export async function reportOf(registry: Registry): Promise<MetricsReport> {
  const metrics = (await registry.getMetricsAsJSON()) as MetricObjectWithValues<MetricValue<string>>[];
  return Object.fromEntries(
    metrics.map(({ name, help, type, values }) => {
      const all = String(type) === 'histogram' ? histogramValues(name, values) : values.map(plainValue);
      return [
        name,
        {
          type: String(type),
          help,
          values: all.slice(0, MAX_VALUES),
          ...(all.length > MAX_VALUES && { left_out: all.length - MAX_VALUES }),
        },
      ];
    }),
  );
}

function plainValue({ labels, value }: MetricValue<string>): ReportedValue {
  return { ...labelsOf(labels), value };
}

/** The series `…_count` and `…_sum` of the same labels come in the same order. */
function histogramValues(name: string, values: readonly MetricValueWithName<string>[]): ReportedValue[] {
  const series = (suffix: string) => values.filter(({ metricName }) => metricName === `${name}_${suffix}`);
  const sums = series('sum');
  return series('count').map(({ labels, value }, index) => ({
    ...labelsOf(labels),
    count: value,
    sum: sums[index]!.value,
  }));
}

function labelsOf(labels: Partial<Labels>): { readonly labels?: Labels } {
  return Object.keys(labels).length === 0 ? {} : { labels: labels as Labels };
}
