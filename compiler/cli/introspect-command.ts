/** `engine introspect`: the catalogs of databases as a file that a compile can use in their place. */

import type { SourceCatalog } from '../../runtime/catalog/catalog.ts';
import { writeCatalogFile } from '../../runtime/catalog/index.ts';
import { loadReadBody } from '../../runtime/catalog/sql-body.ts';
import { hasErrors } from '../../runtime/core/diagnostics/diagnostic.ts';
import { describeConnectionError } from '../../runtime/database/connection-error.ts';
import { readDatabase } from '../../runtime/database/read-database.ts';
import { readMetadataFile } from '../phases/1-read/index.ts';
import { readCatalog } from '../phases/2-introspect/index.ts';
import { renderDiagnostics } from '../review/findings/render.ts';
import { type CommandContext, UsageError } from './command.ts';

export interface IntrospectOptions {
  readonly metadata?: string;
  /** NAME → URL. */
  readonly source?: ReadonlyMap<string, string>;
  readonly out: string;
  readonly databaseUrl?: string;
}

/** Runs the command and returns its exit status: 0, or 1 if a database or the metadata cannot be read. */
export async function introspectCommand(
  options: IntrospectOptions,
  context: CommandContext,
): Promise<number> {
  const addresses = new Map(options.source);
  if (options.databaseUrl !== undefined && !addresses.has('default'))
    addresses.set('default', options.databaseUrl);
  const catalogs: Record<string, SourceCatalog> = {};
  const failures: string[] = [];
  const keep = (name: string, catalog: SourceCatalog | { readonly error: string }) => {
    if ('error' in catalog)
      failures.push(`The database of source "${name}" cannot be read: ${catalog.error}.`);
    else catalogs[name] = catalog;
  };
  if (options.metadata !== undefined) {
    const { value, diagnostics, origin } = readMetadataFile(options.metadata, context);
    if (hasErrors(diagnostics)) context.stderr(renderDiagnostics(diagnostics, origin.describe));
    if (value.sources.length === 0) failures.push('The metadata has no source that could be read.');
    const settings = { ...context, addresses };
    for (const source of value.sources) keep(source.name, await readCatalog(source, settings));
  } else {
    if (addresses.size === 0)
      throw new UsageError('Which databases? Give --metadata PATH, --source NAME=URL or --database-url URL.');
    for (const [name, connectionString] of addresses)
      keep(
        name,
        await readDatabase({ connectionString }, [], loadReadBody).catch((error: unknown) => ({
          error: describeConnectionError(error),
        })),
      );
  }
  for (const failure of failures) context.stderr(`${failure}\n`);
  if (failures.length > 0) {
    context.stderr('Nothing was written.\n');
    return 1;
  }
  await writeCatalogFile(options.out, { version: 3, sources: catalogs });
  const tables = Object.values(catalogs).reduce((sum, catalog) => sum + catalog.tables.length, 0);
  context.stdout(`${Object.keys(catalogs).length} sources, ${tables} tables → ${options.out}\n`);
  return 0;
}
