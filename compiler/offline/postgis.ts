/**
 * PostGIS without a server: PGlite, PostgreSQL as WebAssembly in this process, reached through the ordinary protocol. A
 * database is an instance of its own and has one session, which its connections share (see postgis-wire.ts).
 */
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Extension, PGlite } from '@electric-sql/pglite';
import { completed, ready, type SessionDatabase, serveConnection } from './postgis-wire.ts';

export interface Postgis {
  /** Connection address of the maintenance database: CREATE DATABASE and DROP DATABASE. It holds the password. */
  readonly url: string;
  /** Connection address of a database. */
  databaseUrl(name: string): string;
  /** Creates the database. Returns its connection address. */
  createDatabase(name: string): Promise<string>;
  /** Closes every database. Safe to call twice. */
  stop(): Promise<void>;
}

/** Packages to install for PostGIS without a server. */
export const POSTGIS_PACKAGES = '@electric-sql/pglite@0.5.8 @electric-sql/pglite-postgis@0.2.8';

/** The extensions of PostGIS that PGlite has; postgis_raster is not among them. */
export const POSTGIS_EXTENSIONS: readonly string[] = [
  'postgis',
  'postgis_topology',
  'postgis_tiger_geocoder',
];

/** Extensions of PostgreSQL itself that PGlite has as modules, by file name. */
const MODULES = [
  'btree_gin',
  'btree_gist',
  'citext',
  'cube',
  'earthdistance',
  'fuzzystrmatch',
  'hstore',
  'intarray',
  'isn',
  'lo',
  'ltree',
  'pg_trgm',
  'pgcrypto',
  'seg',
  'tablefunc',
  'tcn',
  'unaccent',
  'uuid_ossp',
];

const MAINTENANCE = 'postgres';

interface Packages {
  readonly create: (data?: Blob) => Promise<PGlite>;
}

/**
 * Starts it; undefined if the packages are not installed. They are looked for beside this program and in the working
 * directory.
 */
export async function startPostgis(): Promise<Postgis | undefined> {
  const packages = await loadPackages();
  if (!packages) return undefined;
  const databases = new Map<string, Lazy>();
  const password = randomBytes(24).toString('base64url');
  const sockets = new Set<Socket>();
  const make = (name: string, template?: string) =>
    void databases.set(name, lazily(packages, template === undefined ? undefined : databases.get(template)));
  const drop = async (name: string) => {
    const found = databases.get(name);
    databases.delete(name);
    await found?.close();
  };
  const open = async (name: string): Promise<SessionDatabase> => {
    if (name === MAINTENANCE) return maintenance;
    const found = databases.get(name);
    if (!found) throw Object.assign(new Error(`database "${name}" does not exist`), { code: '3D000' });
    return found.open();
  };
  const command = (sql: string) => {
    const created = /^\s*create database ("[^"]+"|\w+)(?:\s+template\s+("[^"]+"|\w+))?/i.exec(sql);
    const dropped = /^\s*drop database (?:if exists )?("[^"]+"|\w+)/i.exec(sql);
    const unquote = (text: string) => text.replace(/^"|"$/g, '');
    if (created)
      return async () => {
        const [, name, template = ''] = created;
        make(unquote(name!), unquote(template));
        return 'CREATE DATABASE';
      };
    if (!dropped) return undefined;
    return async () => {
      await drop(unquote(dropped[1]!));
      return 'DROP DATABASE';
    };
  };
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    void serveConnection(socket, { password, open, command });
  });
  await new Promise<void>((done, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', done);
  });
  const { port } = server.address() as AddressInfo;
  const databaseUrl = (name: string) =>
    `postgres://postgres:${password}@127.0.0.1:${port}/${encodeURIComponent(name)}`;
  return {
    url: databaseUrl(MAINTENANCE),
    databaseUrl,
    createDatabase: async (name) => {
      make(name);
      return databaseUrl(name);
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((done) => void server.close(() => done()));
      await Promise.all([...databases.keys()].map(drop));
    },
  };
}

/** Takes the statements that clients try a connection with, and does nothing. */
const maintenance: SessionDatabase = {
  exchange: async () => Buffer.concat([completed('SELECT 0'), ready()]),
  copy: async () => {},
};

/** A database that is made, or copied from its template, when it is first used: it takes seconds and 500 MB of memory. */
interface Lazy {
  readonly open: () => Promise<Instance>;
  readonly close: () => Promise<void>;
}

interface Instance extends SessionDatabase {
  readonly database: PGlite;
}

function lazily({ create }: Packages, template: Lazy | undefined): Lazy {
  const start = async (): Promise<Instance> => {
    const data = template && (await (await template.open()).database.dumpDataDir('none'));
    const database = await create(data);
    return {
      database,
      exchange: (messages) => database.execProtocolRaw(messages),
      copy: async (statement, rows) => {
        await database.exec(statement, { blob: new Blob([rows as Uint8Array<ArrayBuffer>]) });
      },
    };
  };
  let started: Promise<Instance> | undefined;
  return {
    open: () => {
      started ??= start();
      return started;
    },
    close: async () => (await started)?.database.close(),
  };
}

/** The packages beside this program, or those of the working directory; undefined if there are none. */
async function loadPackages(): Promise<Packages | undefined> {
  const load = async (name: string): Promise<unknown> => {
    try {
      return await import(name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
      return await import(pathToFileURL(fromWorkingDirectory(name)).href);
    }
  };
  try {
    const main = (await load('@electric-sql/pglite')) as { PGlite: typeof PGlite };
    const { postgis } = (await load('@electric-sql/pglite-postgis')) as { postgis: Extension };
    const modules = await Promise.all(
      MODULES.map(async (name) => (await load(`@electric-sql/pglite/contrib/${name}`)) as Modules),
    );
    const extensions = Object.assign({ postgis }, ...modules.map(extensionsOf)) as Record<string, Extension>;
    return { create: (data) => main.PGlite.create({ extensions, ...(data && { loadDataDir: data }) }) };
  } catch (error) {
    if (/^(ERR_)?MODULE_NOT_FOUND$/.test(String((error as NodeJS.ErrnoException).code))) return undefined;
    throw error;
  }
}

type Modules = Readonly<Record<string, unknown>>;

/** The extensions that a module exports, as an import or through `default`. */
function extensionsOf(module: Modules): Modules {
  return Object.fromEntries(
    Object.entries(module).filter(([name]) => name !== 'default' && name !== 'module.exports'),
  );
}

function fromWorkingDirectory(name: string): string {
  return createRequire(join(process.cwd(), 'package.json')).resolve(name);
}
