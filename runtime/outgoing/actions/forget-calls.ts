/** Deletes rows of the log of asynchronous actions, some at a time, so that no statement holds many locks. */
import type { QueueQuery } from '../../database/queue/lease.ts';

/** Rows of one statement. */
const BATCH = 10_000;

/** Deletes all calls of these actions. */
export async function forgetCalls(query: QueueQuery, actions: readonly string[]): Promise<void> {
  const [found] = await query(`select to_regclass('engine_catalog.action_log') is not null as exists`);
  if (found?.exists) await deleteWhere(query, 'action_name = any ($1)', actions);
}

/** Deletes calls that ended more than so many days ago. */
export async function forgetEndedCalls(query: QueueQuery, days: number): Promise<void> {
  await deleteWhere(
    query,
    `status in ('completed', 'error') and response_received_at < now() - make_interval(days => $1::int)`,
    days,
  );
}

async function deleteWhere(query: QueueQuery, condition: string, value: unknown): Promise<void> {
  let deleted = BATCH;
  while (deleted >= BATCH) {
    const [row] = await query(
      `with due as materialized (
         select id from engine_catalog.action_log where ${condition} limit ${BATCH} for update skip locked
       ), deleted as (
         delete from engine_catalog.action_log as log using due where log.id = due.id returning 1
       )
       select count(*)::int as count from deleted`,
      [value],
    );
    deleted = row.count;
  }
}
