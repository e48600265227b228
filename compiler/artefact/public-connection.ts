/** Reduces a source's connection info to what an artefact may contain. */
import type { ConnectionInfo } from '../../runtime/metadata/metadata.ts';

/** A connection whose address says nothing secret: it names environment variables. */
export function publicConnection(info: ConnectionInfo): ConnectionInfo | undefined {
  const { database_url: url } = info;
  if (url.kind === 'environment') return info;
  // A password that is written out stays in the metadata.
  const isHarmless =
    url.kind === 'template' &&
    !/:\/\/[^/@]*:(?!\{\{[^{}]*\}\}@)[^/]*@/.test(url.template) &&
    !/password\s*=(?!\{\{)/i.test(url.template);
  return isHarmless ? info : undefined;
}
