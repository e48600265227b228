/** Rules of the lint about what webhooks are sent. */

import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at } from '../../../runtime/core/diagnostics/diagnostic.ts';
import type { ConfiguredHeader } from '../../../runtime/core/environment-template.ts';
import type { MetadataPath } from '../../../runtime/metadata/metadata.ts';
import { isRedacted } from '../../../runtime/outgoing/message.ts';
import type { LintFinding } from './finding.ts';
import { isSecretName } from './grants.ts';
import type { LintInput, PlacedTable } from './place.ts';

/** Columns that an event trigger sends away, although no role may read them. */
export function unreadablePayloads({ tables }: LintInput): LintFinding[] {
  return tables.flatMap((table) => {
    const readable = readableColumns(table);
    return table.entry.event_triggers.flatMap(({ name, path, definition }): LintFinding[] => {
      const { insert, update, delete: deletion } = definition;
      const sent = [insert, update, deletion].flatMap((each) => {
        if (each === undefined) return [];
        const { payload = '*' } = each;
        return payload === '*' ? Object.keys(table.model.shape.columns) : payload;
      });
      const hidden = [...new Set(sent)].filter((column) => !readable.has(column));
      if (hidden.length === 0) return [];
      const facts = { name, table: table.name, columns: hidden.map((column) => `"${column}"`).join(', ') };
      const diagnostic = at(path, messages.payloadColumnUnreadable(facts));
      const tables = [table.model.key, table.name];
      return [{ diagnostic, tables, role: '', columns: hidden, place: name, cause: [name] }];
    });
  });
}

function readableColumns({ access }: PlacedTable): ReadonlySet<string> {
  return new Set(Object.values(access.select ?? {}).flatMap(({ columns }) => columns ?? []));
}

/** Literal values of headers that identify the caller: generated files and artefacts hold them. */
export function literalCredentials({ metadata, tables }: LintInput): LintFinding[] {
  const report = (
    what: string,
    path: MetadataPath,
    headers: readonly ConfiguredHeader[],
    owner?: PlacedTable,
  ) =>
    headers.flatMap((header): LintFinding[] => {
      if (typeof header.value !== 'string' || /\{\{/.test(header.value) || !isCredential(header.name))
        return [];
      const diagnostic = at(path, messages.credentialInMetadata({ what, header: header.name }));
      const tables = owner ? [owner.model.key, owner.name] : [];
      const cause = [header.name, header.value];
      return [{ diagnostic, tables, role: '', columns: [], place: what, cause }];
    });
  return [
    ...tables.flatMap((table) =>
      table.entry.event_triggers.flatMap(({ name, path, headers }) =>
        report(`event trigger "${name}"`, path, headers, table),
      ),
    ),
    ...metadata.cron_triggers.flatMap(({ name, path, headers }) =>
      report(`cron trigger "${name}"`, path, headers),
    ),
    ...metadata.actions.flatMap(({ name, path, definition }) =>
      report(`action "${name}"`, path, definition.headers),
    ),
    ...metadata.remote_schemas.flatMap(({ name, path, definition }) =>
      report(`remote schema "${name}"`, path, definition.headers),
    ),
  ];
}

/** Whether a header proves who calls, as far as its name says. */
export function isCredential(header: string): boolean {
  return isRedacted(header) || isSecretName(header.replaceAll('-', '_'));
}
