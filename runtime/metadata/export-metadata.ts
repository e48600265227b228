/**
 * Metadata as the JSON that `export_metadata` answers: keys in a fixed order, entries sorted, defaults left out. The same
 * metadata gives the same text, and reading an export gives the same metadata again.
 */
import type { JsonObject } from '../core/json/json.ts';
import { type Metadata, metadataBody } from './metadata.ts';

/**
 * The metadata with its lists in the order in which they are exported and stored; the identical parts where they were
 * already. What is held is kept in it as well: the order in which inconsistent objects are listed, and who has a name that
 * two claim, must not depend on the order of requests.
 */
export function inStoredOrder(metadata: Metadata): Metadata {
  return metadataBody.inOrder!(metadata) as Metadata;
}

/** The whole metadata as an export; cron triggers that are not to be included are left out, unless it is to be stored. */
export function exportMetadata(given: Metadata, purpose: 'show' | 'store' = 'show'): JsonObject {
  const metadata = inStoredOrder(given);
  const cron_triggers =
    purpose === 'store'
      ? metadata.cron_triggers
      : metadata.cron_triggers.filter((trigger) => trigger.include_in_metadata);
  return { version: 3, ...(metadataBody.write({ ...metadata, cron_triggers }) as JsonObject) };
}
