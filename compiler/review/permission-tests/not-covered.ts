/** Kinds of commits that no mutant makes, with how many places of the metadata each could change: the score does not speak of them. */

import type { Metadata } from '../../../runtime/metadata/metadata.ts';
import type { Model } from '../../model/model.ts';
import { counted } from '../findings/text.ts';

/** Phrases, with their counts; what the metadata does not have is left out. */
export function notCovered(metadata: Metadata, { sources }: Model): string[] {
  const tables = sources.flatMap((source) => source.tables);
  const entries = metadata.sources.flatMap((source) => source.tables);
  const writes = tables.flatMap(({ permissions: { insert, update } }) =>
    [insert, update].flatMap((permissions) => Object.values(permissions)),
  );
  const presets = writes.reduce((sum, { presets: set }) => sum + Object.keys(set).length, 0);
  const written = JSON.stringify(
    entries.map(({ select_permissions, insert_permissions, update_permissions, delete_permissions }) => [
      select_permissions,
      insert_permissions,
      update_permissions,
      delete_permissions,
    ]),
  );
  const patterns = written.match(/"_n?(?:i?like|similar|i?regex)"/g)?.length ?? 0;
  const views = tables.filter(({ shape: { kind } }) => kind === 'view' || kind === 'materialized').length;
  const hooks =
    entries.reduce((sum, entry) => sum + entry.event_triggers.length, 0) + metadata.cron_triggers.length;
  const phrase = (number: number, one: string, text: string) =>
    number > 0 ? [`${text} ${counted(number, one)}`] : [];
  return [
    'new roles',
    ...phrase(presets, 'preset', 'other session variables of'),
    ...phrase(patterns, 'pattern', 'other texts of'),
    ...phrase(hooks, 'trigger', 'payloads and hosts of'),
    ...phrase(metadata.actions.length, 'action', 'handlers and roles of'),
    ...phrase(metadata.remote_schemas.length, 'remote schema', 'permissions of'),
    ...phrase(metadata.allowlist.length, 'collection', 'scopes of the allow-list for'),
    ...phrase(views, 'view', 'queries of'),
  ];
}
