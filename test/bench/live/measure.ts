/** What live queries cost: CPU time and memory of processes, statements and connections of the database. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';

/** Fields of /proc/PID/stat behind the name: CPU ticks are hundredths of a second. */
function stat(pid: number): readonly string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
}

/** Seconds of CPU time of a process; with those of its ended children, if it waits for them. */
export function cpuOf(pid: number, children = false): number {
  const fields = stat(pid);
  const ticks = children ? fields.slice(11, 15) : fields.slice(11, 13);
  return ticks.reduce((sum, each) => sum + Number(each), 0) / 100;
}

/** Kilobytes that a process occupies. */
export function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
}

export class Database {
  readonly client: pg.Client;

  constructor(client: pg.Client) {
    this.client = client;
  }

  async number(sql: string): Promise<number> {
    const { rows } = await this.client.query({ text: sql, rowMode: 'array' });
    return Number(rows[0]![0]);
  }

  /** Seconds of CPU time of the database server: of this moment's backends and of all that have ended. */
  async cpu(): Promise<number> {
    const own = await this.number('select pg_backend_pid()');
    const postmaster = Number(stat(own)[1]);
    const { rows } = await this.client.query('select pid from pg_stat_activity');
    let seconds = cpuOf(postmaster, true);
    for (const { pid } of rows)
      try {
        seconds += cpuOf(pid);
      } catch {
        // It has ended since.
      }
    return seconds;
  }

  /** Transactions of this database that other sessions have committed while something ran, and CPU time per second. */
  async during(
    pid: number,
    run: () => Promise<unknown>,
  ): Promise<{ statements: number; cpu: number; database: number }> {
    const count = async () => {
      // What backends have counted is published once a second.
      await delay(1500);
      return this.number('select xact_commit from pg_stat_database where datname = current_database()');
    };
    const statements = await count();
    const began = performance.now();
    const [cpu, database] = [cpuOf(pid), await this.cpu()];
    await run();
    const seconds = (performance.now() - began) / 1000;
    const used = { cpu: (cpuOf(pid) - cpu) / seconds, database: ((await this.cpu()) - database) / seconds };
    const after = await count();
    return { ...used, statements: Math.max(0, after - statements - 5) / (seconds + 1.5) };
  }
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** Median and 99th percentile of milliseconds. */
export function percentiles(times: readonly number[]): { p50: number; p99: number; text: string } {
  const sorted = times.toSorted((left, right) => left - right);
  const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
  const [p50, p99] = [at(0.5), at(0.99)];
  const round = (time: number) => (time < 10 ? time.toFixed(1) : String(Math.round(time)));
  return { p50, p99, text: `p50 ${round(p50)} ms, p99 ${round(p99)} ms` };
}
