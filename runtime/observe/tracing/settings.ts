/** The metadata's `opentelemetry` as tracing uses it. */
import { type Environment, fillTemplate } from '../../core/environment-template.ts';

export interface TraceSettings {
  /** Where spans are sent, as it is. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Attributes of the service. */
  readonly resource: Readonly<Record<string, string>>;
  readonly batchSize: number;
}

interface Given {
  readonly status?: unknown;
  readonly data_types?: unknown;
  readonly exporter_otlp?: {
    readonly otlp_traces_endpoint?: unknown;
    readonly headers?: readonly Pair[];
    readonly resource_attributes?: readonly Pair[];
  };
  readonly batch_span_processor?: { readonly max_export_batch_size?: unknown };
}

interface Pair {
  readonly name: string;
  readonly value?: string;
  readonly value_from_env?: string;
}

const BATCH_SIZE = 512;
const NO_ENDPOINT = 'Traces export is enabled but tracing endpoint missing';
const NO_BATCH_SIZE = 'max_export_batch_size must be a positive integer';

/** Why traces cannot be exported whatever the environment holds; undefined if nothing is wrong. */
export function settingsProblem(given: object): string | undefined {
  const { status, data_types, exporter_otlp, batch_span_processor } = given as Given;
  const endpoint = exporter_otlp?.otlp_traces_endpoint;
  const exportsTraces = status === 'enabled' && Array.isArray(data_types) && data_types.includes('traces');
  if (exportsTraces && (typeof endpoint !== 'string' || endpoint === '')) return NO_ENDPOINT;
  return isBatchSize(batch_span_processor?.max_export_batch_size ?? BATCH_SIZE) ? undefined : NO_BATCH_SIZE;
}

/** Data types that are asked for and not sent: all but traces. */
export function unsentTypes(given: object | undefined): readonly string[] {
  const types = (given as Given | undefined)?.data_types;
  return Array.isArray(types) ? types.map(String).filter((type) => type !== 'traces') : [];
}

function isBatchSize(size: unknown): size is number {
  return typeof size === 'number' && Number.isInteger(size) && size >= 1;
}

/** @returns undefined where traces are not exported, or why they cannot be */
export function readTraceSettings(
  given: object | undefined,
  environment: Environment,
): TraceSettings | { readonly problem: string } | undefined {
  const { status, data_types, exporter_otlp = {}, batch_span_processor = {} } = (given ?? {}) as Given;
  const fill = (text: string) => {
    const { text: filled, missing } = fillTemplate(text, environment);
    if (missing.length > 0) throw new Error(`environment variable '${missing[0]}' not set`);
    return filled;
  };
  const pairs = (list: readonly Pair[] = []) =>
    Object.fromEntries(
      list.map(({ name, value, value_from_env: variable }) => [
        name,
        variable === undefined ? fill(value ?? '') : fill(`{{${variable}}}`),
      ]),
    );
  try {
    const isEnabled = typeof status === 'string' && fill(status) === 'enabled';
    if (!isEnabled || !(Array.isArray(data_types) && data_types.includes('traces'))) return undefined;
    const { otlp_traces_endpoint: endpoint, headers, resource_attributes } = exporter_otlp;
    if (typeof endpoint !== 'string' || endpoint === '') return { problem: NO_ENDPOINT };
    const batchSize = batch_span_processor.max_export_batch_size ?? BATCH_SIZE;
    if (!isBatchSize(batchSize)) return { problem: NO_BATCH_SIZE };
    const url = fill(endpoint);
    if (!URL.canParse(url)) return { problem: 'otlp_traces_endpoint is not a URL' };
    return { url, headers: pairs(headers), resource: pairs(resource_attributes), batchSize };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}
