/** Projects that are measured: their database, and what they compile to. */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { type CompileResult, compile } from '../../compiler/index.ts';
import type { EmbeddedPostgres } from '../../compiler/offline/embedded.ts';
import { readMetadataFile } from '../../compiler/phases/1-read/index.ts';
import { readCatalog } from '../../compiler/phases/2-introspect/index.ts';
import { fillDatabase } from '../../examples/prepare.ts';
import { CANONICAL } from '../../runtime/core/vocabulary.ts';
import type { Metadata, MetadataPath } from '../../runtime/metadata/metadata.ts';
import { PROJECTS } from '../harness/public-cases.ts';
import { type BenchCase, chinookCases, helpdeskCases } from './cases.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

export interface Project {
  /** Also the folder below floor/. */
  readonly name: string;
  readonly cases: readonly BenchCase[];
  /** File or folder. */
  readonly metadata: string;
  /** Environment variables that the metadata names. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Creates tables and rows. */
  readonly fill: (databaseUrl: string) => Promise<void>;
}

/** Chinook where it is there, the example otherwise. */
export function servedProject(): Project {
  return existsSync(`${PROJECTS}/chinook`)
    ? { ...sharedProject('chinook'), cases: chinookCases() }
    : { ...exampleProject(), cases: helpdeskCases() };
}

/** The help desk of examples/, with no cases. */
export function exampleProject(): Project {
  return {
    name: 'helpdesk',
    cases: [],
    metadata: `${checkout}/examples/helpdesk/metadata`,
    // Nobody listens there.
    environment: { HELPDESK_HOOKS: 'http://127.0.0.1:9', HELPDESK_HOOKS_SECRET: 'secret' },
    fill: async (databaseUrl) => {
      await fillDatabase(databaseUrl);
    },
  };
}

/** A project of the shared folder, with no cases. */
export function sharedProject(name: string): Project {
  return {
    name,
    cases: [],
    metadata: `${PROJECTS}/${name}/metadata.json`,
    fill: async (databaseUrl) => loadShared(name, databaseUrl),
  };
}

function loadShared(name: string, databaseUrl: string): void {
  const { status, stderr } = spawnSync(process.execPath, [`${PROJECTS}/load.mjs`, name, databaseUrl], {
    cwd: checkout,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`loading ${name} failed: ${stderr}`);
}

/** Creates the project's database with its rows, and fresh statistics. */
export async function createProjectDatabase(project: Project, postgres: EmbeddedPostgres): Promise<string> {
  const databaseUrl = await postgres.createDatabase(project.name);
  await project.fill(databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('vacuum analyze');
  await client.end();
  return databaseUrl;
}

/** Compiles a project against its database. */
export async function compileProject(project: Project, databaseUrl: string): Promise<CompileResult> {
  const { value: metadata, origin } = readMetadataFile(project.metadata);
  const [source] = metadata.sources;
  const options = {
    addresses: new Map([[source!.name, databaseUrl]]),
    environment: {},
    vocabulary: CANONICAL,
  };
  const catalogs = { [source!.name]: await readCatalog(source!, options) };
  return compile({ metadata: withEndpoints(metadata, project.cases), catalogs, origin });
}

/** The metadata with the endpoints that cases ask. */
function withEndpoints(metadata: Metadata, cases: readonly BenchCase[]): Metadata {
  const endpoints = cases.filter(({ endpoint }) => endpoint !== undefined);
  if (endpoints.length === 0) return metadata;
  const collection = 'bench';
  const path: MetadataPath = [];
  const queries = endpoints.map(({ name, query }) => ({ name, query }));
  return {
    ...metadata,
    query_collections: [...metadata.query_collections, { name: collection, definition: { queries }, path }],
    rest_endpoints: endpoints.map(({ name, endpoint }) => ({
      name,
      url: endpoint!,
      methods: ['GET'],
      definition: { query: { collection_name: collection, query_name: name } },
      path,
    })),
  };
}
