/** The engine that the random sequences run on, in process: databases of its own, the compiler, the loader. */

import pg from 'pg';
import { compile } from '../../../compiler/index.ts';
import { emptyMetadata, exportMetadata, readMetadata } from '../../../compiler/phases/1-read/index.ts';
import { EngineError } from '../../../runtime/core/errors.ts';
import type { Planner } from '../../../runtime/core/request/planner.ts';
import { CANONICAL } from '../../../runtime/core/vocabulary.ts';
import type { SourceConnection } from '../../../runtime/database/source.ts';
import {
  type MetadataEngine,
  type MetadataStore,
  openMetadataStore,
} from '../../../runtime/metadata-api/index.ts';
import { startMetadataEngine } from '../../harness/metadata-engine.ts';
import { DEFAULT_SQL, OTHER_SQL } from './database.ts';

export type Engine = MetadataEngine<SourceConnection>;

export interface Workbench {
  readonly otherUrl: string;
  /** What the engine that `begin` gave serves by now. */
  served(): Planner;
  /** Whether the metadata database takes changes. */
  storeFails: boolean;
  /** An engine on empty metadata and the tables of `DEFAULT_SQL`. */
  begin(): Promise<Engine>;
  /** A second engine on the same databases, as after a restart. */
  start(): Promise<{ readonly engine: Engine; served(): Planner; stop(): Promise<void> }>;
  /** Ends what `begin` gave. */
  end(): Promise<void>;
  /** Drops the databases. */
  close(): Promise<void>;
}

/** What the store says when it is made to fail. */
export const COMMIT_FAILURE = 'the metadata database is gone';

const ROLES = ['default', 'other', 'metadata'] as const;

/** Makes three databases on the server, whose names begin with `prefix`. */
export async function openWorkbench(serverUrl: string, prefix: string): Promise<Workbench> {
  const names = ROLES.map((role) => `${prefix}_${role}`);
  for (const name of names) await run(serverUrl, `create database ${pg.escapeIdentifier(name)}`);
  const [defaultUrl, otherUrl, metadataUrl] = names.map((name) => {
    const url = new URL(serverUrl);
    url.pathname = `/${encodeURIComponent(name)}`;
    return url.href;
  }) as [string, string, string];
  await run(otherUrl, OTHER_SQL);
  const start = async () => {
    const opened = await openMetadataStore(metadataUrl, CANONICAL);
    const store: MetadataStore = {
      ...opened,
      commit: async (...change) => {
        if (workbench.storeFails) throw new EngineError('postgres-error', COMMIT_FAILURE);
        return opened.commit(...change);
      },
    };
    const { engine, served } = await startMetadataEngine(store, defaultUrl);
    return {
      engine,
      served,
      stop: async () => {
        await engine.stop();
        await store.close();
      },
    };
  };
  let current: Awaited<ReturnType<typeof start>> | undefined;
  const end = async () => {
    await current?.stop();
    current = undefined;
  };
  const workbench: Workbench = {
    otherUrl,
    served: () => current!.served(),
    storeFails: false,
    begin: async () => {
      await run(defaultUrl, `drop schema public cascade; create schema public; ${DEFAULT_SQL}`);
      await run(metadataUrl, 'drop schema if exists engine_catalog cascade');
      current = await start();
      return current.engine;
    },
    start,
    end,
    close: async () => {
      await end();
      for (const name of names) {
        await run(serverUrl, `drop database ${pg.escapeIdentifier(name)} with (force)`);
      }
    },
  };
  return workbench;
}

/** What is stored, as text. */
export function exported({ state }: Engine): string {
  return JSON.stringify(exportMetadata(state.metadata, 'store'));
}

/** What a compile without history makes of what is stored. */
export function compiledAfresh(engine: Engine) {
  const { value, diagnostics } = readMetadata(JSON.parse(exported(engine)));
  if (value === emptyMetadata || diagnostics.length > 0) {
    throw new Error(`the export cannot be read back: ${JSON.stringify(diagnostics)}`);
  }
  return {
    reexported: JSON.stringify(exportMetadata(value, 'store')),
    compilation: compile({
      metadata: value,
      catalogs: engine.state.catalogs,
      remotes: engine.state.remotes,
    }),
  };
}

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set client_min_messages = error');
    await client.query(sql);
  } finally {
    await client.end();
  }
}
