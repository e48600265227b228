/** Reports the objects that this version reads and keeps but does not serve. */
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import type { Losses } from '../../../runtime/core/diagnostics/causes.ts';
import { at, type Diagnostic } from '../../../runtime/core/diagnostics/diagnostic.ts';
import type { Metadata, MetadataPath, Source } from '../../../runtime/metadata/metadata.ts';

/** A warning for every object of the metadata that has no effect yet. */
export function reportNotServed(metadata: Metadata): Diagnostic[] {
  const found: (Diagnostic & Losses)[] = [];
  const report: Report = (path, kind, name, lost) => {
    found.push({ ...at(path, messages.notServedYet({ kind, name: `"${name}"` })), ...(lost && { lost }) });
  };
  for (const source of metadata.sources) reportSource(source, report);
  if (metadata.metrics_config) report(['metrics_config'], 'Setting', 'metrics_config');
  const types = metadata.opentelemetry?.data_types;
  if (Array.isArray(types))
    for (const type of types)
      if (type !== 'traces') report(['opentelemetry', 'data_types'], 'Setting', `opentelemetry ${type}`);
  return found;
}

/** @param lost what others may miss */
type Report = (path: MetadataPath, kind: string, name: string, lost?: readonly string[]) => void;

const SOURCE_SETTINGS = ['stored_procedures'] as const;

function reportSource(source: Source, report: Report): void {
  for (const key of SOURCE_SETTINGS) {
    const value = source[key];
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    report([...source.path, key], 'Setting', key);
  }
  if (source.query_tags?.omit_request_id === false)
    report([...source.path, 'query_tags', 'omit_request_id'], 'Setting', 'omit_request_id');
  const { connection_info } = source.configuration;
  const configuration = [...source.path, 'configuration'];
  const total = 'total_max_connections';
  if (connection_info.pool_settings?.[total] !== undefined)
    report([...configuration, 'connection_info', 'pool_settings', total], 'Setting', total);
  for (const { path, configuration } of source.functions)
    if (configuration.response) report([...path, 'configuration', 'response'], 'Setting', 'response');
}
