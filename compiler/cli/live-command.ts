/** `engine live install`, `status` and `remove`: what records writes in the databases, for live queries. */

import type pg from 'pg';
import { hasErrors } from '../../runtime/core/diagnostics/diagnostic.ts';
import type { QualifiedName } from '../../runtime/core/names.ts';
import { DatabaseClient } from '../../runtime/database/client.ts';
import { describeConnectionError } from '../../runtime/database/connection-error.ts';
import {
  type CaptureStatus,
  captureStatus,
  installCapture,
  installStatements,
  removeCapture,
  removeStatements,
  tableLabel,
} from '../../runtime/database/record/install.ts';
import type { ConnectionConfiguration } from '../../runtime/database/ways.ts';
import { readMetadataFile } from '../phases/1-read/index.ts';
import { databaseOf } from '../phases/2-introspect/index.ts';
import { renderDiagnostics } from '../review/findings/render.ts';
import { type CommandContext, UsageError } from './command.ts';

export interface LiveOptions {
  readonly metadata?: string;
  /** NAME → URL. */
  readonly source?: ReadonlyMap<string, string>;
  readonly databaseUrl?: string;
  readonly dryRun?: true;
  readonly json?: true;
}

interface Target {
  readonly name: string;
  readonly tables: readonly QualifiedName[];
  readonly client: pg.Client;
}

/** Returns the exit status. @throws UsageError */
export async function liveInstallCommand(options: LiveOptions, context: CommandContext): Promise<number> {
  return forEachSource(options, context, async ({ name, tables, client }) => {
    const found = await captureStatus(client, tables);
    if (options.dryRun) {
      context.stdout(sqlOf(name, installStatements(found)));
      return true;
    }
    await installCapture(client, found);
    context.stdout(`Source "${name}": writes of ${count(found)} are recorded.\n`);
    return true;
  });
}

/** Returns the exit status: 1 if the writes of some tables are not recorded. @throws UsageError */
export async function liveStatusCommand(options: LiveOptions, context: CommandContext): Promise<number> {
  const all: Record<string, readonly CaptureStatus[]> = {};
  const status = await forEachSource(options, context, async ({ name, tables, client }) => {
    const found = await captureStatus(client, tables);
    all[name] = found;
    return found.every(({ complete }) => complete);
  });
  if (options.json) context.stdout(`${JSON.stringify(all, null, 2)}\n`);
  else for (const [name, tables] of Object.entries(all)) context.stdout(statusText(name, tables));
  return status;
}

/** Returns the exit status. @throws UsageError */
export async function liveRemoveCommand(options: LiveOptions, context: CommandContext): Promise<number> {
  return forEachSource(options, context, async ({ name, tables, client }) => {
    if (options.dryRun) {
      context.stdout(sqlOf(name, removeStatements(await captureStatus(client, tables))));
      return true;
    }
    const removed = await removeCapture(client);
    const what = removed.length === 0 ? 'no table' : removed.join(', ');
    context.stdout(`Source "${name}": removed from ${what}.\n`);
    return true;
  });
}

/** @returns 1 if something is not as it should be for a source, or its database cannot be reached */
async function forEachSource(
  options: LiveOptions,
  context: CommandContext,
  use: (target: Target) => Promise<boolean>,
): Promise<number> {
  const sources = sourcesOf(options, context);
  if (!sources) return 1;
  let status = 0;
  for (const { name, address, tables } of sources) {
    let client: pg.Client | undefined;
    try {
      client = new DatabaseClient(address());
      await client.connect();
      if (!(await use({ name, tables, client }))) status = 1;
    } catch (error) {
      context.stderr(`Source "${name}": ${describeConnectionError(error)}\n`);
      status = 1;
    } finally {
      await client?.end().catch(() => {});
    }
  }
  return status;
}

interface LiveSource extends Omit<Target, 'client'> {
  /** @throws EngineError, if an environment variable is not set for instance */
  readonly address: () => ConnectionConfiguration;
}

/** Undefined if the metadata cannot be read, which has been told: tables that it should name would be left out. */
function sourcesOf(
  { metadata, source, databaseUrl }: LiveOptions,
  { environment, vocabulary, stderr }: CommandContext,
): readonly LiveSource[] | undefined {
  const addresses = new Map(source);
  if (databaseUrl !== undefined && !addresses.has('default')) addresses.set('default', databaseUrl);
  if (metadata === undefined) {
    if (addresses.size === 0)
      throw new UsageError('Which databases? Give --metadata PATH or --source NAME=URL.');
    return [...addresses].map(([name, connectionString]) => ({
      name,
      tables: [],
      address: () => ({ connectionString }),
    }));
  }
  const { value, diagnostics, origin } = readMetadataFile(metadata, { vocabulary });
  if (hasErrors(diagnostics)) {
    stderr(renderDiagnostics(diagnostics, origin.describe));
    return undefined;
  }
  return value.sources.map((each) => ({
    name: each.name,
    tables: each.tables.map(({ table }) => table),
    // A saved catalog cannot replace a database here.
    address: () => databaseOf(each, { addresses, environment, vocabulary })!,
  }));
}

function sqlOf(source: string, statements: readonly string[]): string {
  return `-- Source "${source}"\n${statements.map((statement) => `${statement.replace(/;$/, '')};\n`).join('\n')}`;
}

function statusText(source: string, tables: readonly CaptureStatus[]): string {
  const width = Math.max(0, ...tables.map((table) => tableLabel(table).length));
  const lines = tables.map((table) => {
    const keys = table.keys.length > 0 ? `keys ${table.keys.join(', ')}` : 'no keys';
    return `  ${tableLabel(table).padEnd(width)}  ${table.complete ? 'recorded    ' : 'not recorded'}  ${keys}\n`;
  });
  return `Source "${source}"\n${lines.join('')}`;
}

function count({ length }: readonly unknown[]): string {
  return length === 1 ? '1 table' : `${length} tables`;
}
