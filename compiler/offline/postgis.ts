/**
 * PostGIS without a server: PGlite, PostgreSQL as WebAssembly in this process, reached through the ordinary protocol. A
 * database is an instance of its own and has one session, which its connections share (see postgis-wire.ts). An instance takes
 * half a gigabyte of memory: one without connections is closed when another database is opened, and opened again when needed.
 */
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Extension, PGlite } from '@electric-sql/pglite';
import { watch } from './embedded-watcher.ts';
import { completed, ready, type SessionDatabase, SessionTurns, serveConnection } from './postgis-wire.ts';
import { installStubs, type StubFolder } from './stubs.ts';

export interface Postgis {
  /** Connection address of the maintenance database: CREATE DATABASE and DROP DATABASE. It holds the password. */
  readonly url: string;
  /** Connection address of a database. */
  databaseUrl(name: string): string;
  /** Creates the database, empty or as a copy. Returns its connection address. */
  createDatabase(name: string, template?: string): Promise<string>;
  /** Stand-ins for extensions, by name, where the database finds them. */
  installStubs(name: string, stubs: ReadonlyMap<string, string>): Promise<StubFolder>;
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

/** Where an instance has its data. */
const DATA = '/pglite/data';

interface Packages {
  /** @param folder of the data; created unless it is there */
  readonly create: (folder: string) => Promise<PGlite>;
}

/**
 * Starts it; undefined if the packages are not installed. They are looked for beside this program and in the working
 * directory.
 */
export async function startPostgis(): Promise<Postgis | undefined> {
  const packages = await loadPackages();
  if (!packages) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'engine-postgis-'));
  const watcher = watch({ folder });
  const databases = new Map<string, Database>();
  const password = randomBytes(24).toString('base64url');
  const sockets = new Set<Socket>();
  const make = async (name: string, template?: string) => {
    const data = join(folder, randomBytes(8).toString('hex'));
    const copied = template === undefined ? undefined : databases.get(template);
    databases.set(name, createDatabase(data, packages));
    if (!copied) return;
    await copied.flush();
    cpSync(copied.folder, data, { recursive: true });
  };
  const drop = async (name: string) => {
    const found = databases.get(name);
    databases.delete(name);
    await found?.close();
  };
  const maintenance = createMaintenance();
  const find = (name: string) => {
    if (name === MAINTENANCE) return async () => maintenance;
    const found = databases.get(name);
    if (!found) throw Object.assign(new Error(`database "${name}" does not exist`), { code: '3D000' });
    return async () => {
      const opened = found.open();
      for (const other of databases.values()) if (!other.isUsed()) await other.rest();
      return opened;
    };
  };
  const command = (sql: string, database: string) => {
    if (database !== MAINTENANCE) return undefined;
    const created = /^\s*create database ("[^"]+"|\w+)(?:\s+template\s+("[^"]+"|\w+))?/i.exec(sql);
    const dropped = /^\s*drop database (?:if exists )?("[^"]+"|\w+)/i.exec(sql);
    const unquote = (text: string) => text.replace(/^"|"$/g, '');
    if (created)
      return async () => {
        const [, name, template] = created;
        await make(unquote(name!), template && unquote(template));
        return 'CREATE DATABASE';
      };
    if (!dropped) return undefined;
    return async () => {
      await drop(unquote(dropped[1]!));
      return 'DROP DATABASE';
    };
  };
  let connections = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    void serveConnection(socket, connections, { password, find, command });
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
    createDatabase: async (name, template) => {
      await make(name, template);
      return databaseUrl(name);
    },
    installStubs: async (name, stubs) => {
      // The folder has to be empty until the database is made in it.
      const session = await find(name)();
      session.release();
      return installStubs(stubs, join(databases.get(name)!.folder, 'stubs'), `${DATA}/stubs`);
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((done) => void server.close(() => done()));
      await Promise.all([...databases.keys()].map(drop));
      rmSync(folder, { recursive: true, force: true });
      watcher.kill('SIGKILL');
    },
  };
}

/** Takes the statements that clients try a connection with, and does nothing. */
function createMaintenance(): SessionDatabase {
  return {
    turns: new SessionTurns(),
    exchange: async () => Buffer.concat([completed('SELECT 0'), ready()]),
    copy: async () => {},
    release: () => {},
  };
}

interface Database {
  readonly folder: string;
  /** Opens a session, which is open until its release. */
  open(): Promise<SessionDatabase>;
  isUsed(): boolean;
  /** Has everything written to the folder. */
  flush(): Promise<void>;
  /** Gives the memory back until the next use. */
  rest(): Promise<void>;
  close(): Promise<void>;
}

/** A database that is made when it is first used. */
function createDatabase(folder: string, { create }: Packages): Database {
  let users = 0;
  let instance: Promise<{ readonly database: PGlite; readonly session: SessionDatabase }> | undefined;
  let closing = Promise.resolve();
  const start = async () => {
    await closing;
    const database = await create(folder);
    const session: SessionDatabase = {
      turns: new SessionTurns(),
      exchange: (messages) => database.execProtocolRaw(messages),
      copy: async (statement, rows) => {
        await database.exec(statement, { blob: new Blob([rows as Uint8Array<ArrayBuffer>]) });
      },
      release: () => {
        users -= 1;
      },
    };
    return { database, session };
  };
  const rest = async () => {
    const opened = instance;
    instance = undefined;
    if (opened) closing = opened.then(({ database }) => database.close());
    await closing;
  };
  return {
    folder,
    open: async () => {
      users += 1;
      instance ??= start();
      return (await instance).session;
    },
    isUsed: () => users > 0,
    flush: async () => {
      instance ??= start();
      await (await instance).database.exec('checkpoint');
    },
    rest,
    close: async () => {
      await rest();
      rmSync(folder, { recursive: true, force: true });
    },
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
    return { create: (folder) => main.PGlite.create({ extensions, dataDir: `file://${folder}` }) };
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
