/** The servers that the benchmark of remote schemas runs, and the project that joins them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { writeFolder } from '../../compiler/cli/output-folder.ts';
import { compile } from '../../compiler/index.ts';
import { startEmbeddedPostgres } from '../../compiler/offline/embedded.ts';
import { readDatabase } from '../../runtime/database/read-database.ts';
import { readMetadata } from '../../runtime/metadata/read-metadata.ts';
import { type MeasuredServer, startMeasured } from './child.ts';
import { type ServiceName, services } from './remote-services.ts';

export const SLOW = ['slow50', 'slow80', 'slow120'] as const;
/** Rows of the table whose rows are joined. */
export const ROWS = 10_000;

const LEFT = `create table event (id integer primary key, code integer not null, author text not null, note text not null);
insert into event select n, n * 7 % 20000, 'a' || n % 100, repeat('note ', 100) from generate_series(1, ${ROWS}) n;
analyze event`;
const RIGHT = `create table product (code integer primary key, name text not null);
insert into product select n, 'product ' || n from generate_series(0, 49999) n;
analyze product`;

/** Running servers, and how to start more of them. */
export interface RemoteStage {
  readonly engine: MeasuredServer;
  readonly floor: MeasuredServer;
  readonly upstream: Readonly<Record<ServiceName, MeasuredServer>>;
  readonly start: (file: string, options: object) => Promise<MeasuredServer>;
  readonly createDatabase: (name: string) => Promise<string>;
}

export function addressOf({ port }: MeasuredServer): string {
  return `http://127.0.0.1:${port}/graphql`;
}

/** Starts everything, runs `use`, and stops everything. */
export async function withRemoteStage<Result>(use: (stage: RemoteStage) => Promise<Result>): Promise<Result> {
  const postgres = await startEmbeddedPostgres();
  const directory = mkdtempSync(join(tmpdir(), 'engine-bench-'));
  const started: MeasuredServer[] = [];
  const start = async (file: string, options: object) => {
    const server = await startMeasured(file, options);
    started.push(server);
    return server;
  };
  try {
    const left = await fill(await postgres.createDatabase('left'), LEFT);
    const right = await fill(await postgres.createDatabase('right'), RIGHT);
    const upstream = {} as Record<ServiceName, MeasuredServer>;
    for (const service of Object.keys(services) as ServiceName[]) {
      const late = Number(/\d+$/.exec(service)?.[0] ?? 0);
      upstream[service] = await start('upstream.ts', { service, late });
    }
    const catalogs = {
      default: await readDatabase({ connectionString: left }, []),
      other: await readDatabase({ connectionString: right }, []),
    };
    const remotes = Object.fromEntries(Object.entries(services).map(([name, { sdl }]) => [name, { sdl }]));
    const { files, diagnostics } = compile({ metadata: metadataOf(upstream), catalogs, remotes });
    if (diagnostics.length > 0) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
    writeFolder(directory, files);
    const engine = await start('engine.ts', {
      directory,
      databaseUrl: left,
      sources: { other: right },
      enableRemoteSchemaPermissions: 'true',
    });
    const floor = await start('remote-floor.ts', {
      users: addressOf(upstream.users),
      posts: addressOf(upstream.posts),
      slow: SLOW.map((field) => ({ field, url: addressOf(upstream[field]) })),
      left,
      right,
    });
    return await use({
      engine,
      floor,
      upstream,
      start,
      createDatabase: (name) => postgres.createDatabase(name),
    });
  } finally {
    await Promise.all(started.map((server) => server.stop().catch(() => {})));
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function fill(connectionString: string, text: string): Promise<string> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(text);
  await client.end();
  return connectionString;
}

function metadataOf(upstream: Readonly<Record<ServiceName, MeasuredServer>>) {
  const toRemote = (name: string, remote: string, field: string, argument: string, key: string) => ({
    name,
    definition: {
      to_remote_schema: {
        remote_schema: remote,
        lhs_fields: [key],
        remote_field: { [field]: { arguments: { [argument]: `$${key}` } } },
      },
    },
  });
  const source = (name: string, tables: object[]) => ({
    name,
    kind: 'postgres',
    tables,
    configuration: { connection_info: { database_url: { from_env: name } } },
  });
  const permission = (columns: string[]) => ({
    select_permissions: [{ role: 'user', permission: { columns, filter: {} } }],
  });
  const product = {
    name: 'product',
    definition: {
      to_source: {
        source: 'other',
        table: 'product',
        relationship_type: 'object',
        field_mapping: { code: 'code' },
      },
    },
  };
  const event = {
    table: 'event',
    ...permission(['id', 'code', 'author', 'note']),
    remote_relationships: [
      product,
      toRemote('label', 'posts', 'label', 'key', 'id'),
      toRemote('shared', 'posts', 'label', 'key', 'author'),
      ...SLOW.map((field) => toRemote(field, field, field, 'key', 'id')),
    ],
  };
  const { value } = readMetadata({
    version: 3,
    sources: [
      source('default', [event]),
      source('other', [{ table: 'product', ...permission(['code', 'name']) }]),
    ],
    remote_schemas: Object.entries(services).map(([name, { sdl }]) => ({
      name,
      definition: { url: addressOf(upstream[name as ServiceName]) },
      permissions: [{ role: 'user', definition: { schema: sdl } }],
      ...(name === 'users' && {
        remote_relationships: [
          { type_name: 'User', relationships: [toRemote('posts', 'posts', 'postsOf', 'author', 'id')] },
        ],
      }),
    })),
  });
  return value;
}
