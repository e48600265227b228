/** Ends what backends do in vain: waits for locks, and reads whose answers nothing waits for. */
import type { PooledConnection } from './connection.ts';

/**
 * Ends the second backends, and those of the first that wait for a lock: which undoes their transactions. Only CASE keeps the planner from
 * cancelling before it has looked at the rest.
 */
const END_WAITS = `select pid::text from (
    select pid, case when state = 'active'
      and (pid = any (($2)::integer[]) or pid = any (($1)::integer[]) and wait_event_type = 'Lock')
      then pg_cancel_backend(pid) end as ended
    from pg_stat_activity
  ) as backend where ended`;

/** See the head of this file. It has a connection of its own, opened when it is needed. */
export class LockWaits {
  readonly #open: () => Promise<PooledConnection>;
  #connection: Promise<PooledConnection> | undefined;
  #lastUse = 0;

  constructor(open: () => Promise<PooledConnection>) {
    this.#open = open;
  }

  /**
   * Ends what backends do, by process id: those that were ended.
   * @param waits where they wait for a lock
   * @param vain whatever they do
   * @throws what `pg` reports
   */
  async end(waits: readonly number[], vain: readonly number[]): Promise<ReadonlySet<number>> {
    this.#lastUse = performance.now();
    this.#connection ??= this.#open();
    try {
      const { client } = await this.#connection;
      const { rows } = await client.query<{ pid: string }>(END_WAITS, [
        `{${waits.join()}}`,
        `{${vain.join()}}`,
      ]);
      return new Set(rows.map(({ pid }) => Number(pid)));
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Closes the connection if it was not used for so many milliseconds. */
  close(unused = 0): void {
    if (!this.#connection || performance.now() - this.#lastUse < unused) return;
    this.#connection.then(({ client }) => client.end()).catch(() => {});
    this.#connection = undefined;
  }
}
