/**
 * The projects of `test/requests`: folders with `schema.sql`, `metadata.yaml` and, where cases write, `rows.sql`. With
 * `distribution.json`, which holds what the catalogs of Citus would say, SQL is made as for a cluster.
 */

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { Distribution } from '../../runtime/core/shards/shapes.ts';
import { CANONICAL } from '../../runtime/core/vocabulary.ts';
import { inStoredOrder } from '../../runtime/metadata/export-metadata.ts';
import { emptyMetadata, type JsonObject } from '../../runtime/metadata/metadata.ts';
import { readMetadata } from '../../runtime/metadata/read-metadata.ts';
import { openMetadataStore } from '../../runtime/metadata-api/index.ts';
import { storedChange } from '../../runtime/metadata-api/store/stored-change.ts';
import { type InProcess, serveInProcess } from './in-process.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';

export const REQUESTS = fileURLToPath(new URL('../requests/', import.meta.url));

export type ServingOptions = Parameters<typeof serveInProcess>[3];

export interface RequestProject {
  readonly database: TestDatabase;
  /** The rows that each case begins with, as SQL; undefined: those of the schema, which no case changes. */
  readonly rows: string | undefined;
  /** Whether SQL is made as for a cluster. */
  readonly isDistributed: boolean;
  /** The project served with these options; equal options share one server. @param isPlain as plain PostgreSQL, whatever its catalog says */
  served(options?: ServingOptions, isPlain?: boolean): Promise<InProcess>;
  end(): Promise<void>;
}

/** Metadata of a project and a new database with its schema; `name` is its folder below `test/requests`. */
export async function readRequestProject(name: string) {
  const path = (file: string) => `${REQUESTS}${name}/${file}`;
  const read = (file: string) => readFileSync(path(file), 'utf8');
  return {
    metadata: parse(read('metadata.yaml')) as JsonObject,
    database: await createTestDatabase(read('schema.sql')),
    rows: existsSync(path('rows.sql')) ? read('rows.sql') : undefined,
    distribution: existsSync(path('distribution.json'))
      ? (JSON.parse(read('distribution.json')) as Distribution)
      : undefined,
  };
}

/** A new database with the schema of a project, and its metadata where servers of the database find it when they start. */
export async function storeRequestProject(name: string): Promise<TestDatabase> {
  const { metadata, database } = await readRequestProject(name);
  const { value, diagnostics } = readMetadata(metadata);
  if (diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics, null, 2));
  const store = await openMetadataStore(database.url, CANONICAL);
  const change = storedChange(emptyMetadata, inStoredOrder(value));
  await store.commit(change, 0, { metadata: true, sources: [], remote_schemas: [] });
  await store.close();
  return database;
}

/** Opens a project with a database of its own. */
export async function openRequestProject(name: string): Promise<RequestProject> {
  const { metadata, database, rows, distribution } = await readRequestProject(name);
  const opened = new Map<string, Promise<InProcess>>();
  return {
    database,
    rows,
    isDistributed: distribution !== undefined,
    served: (given = {}, isPlain = false) => {
      const options = distribution && !isPlain ? { ...given, distribution } : given;
      const key = JSON.stringify(options);
      const served = opened.get(key) ?? serveInProcess(database.url, metadata, undefined, options);
      opened.set(key, served);
      return served;
    },
    end: async () => {
      for (const served of opened.values()) await (await served).end();
    },
  };
}
