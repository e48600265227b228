/**
 * The floor of event delivery: workers that each lock the oldest row with `for update skip locked`, call the webhook and record
 * the outcome, in one transaction. The lock is the only lease there is.
 */
import pg from 'pg';
import { Agent, request } from 'undici';
import { serveMeasured } from './measured.ts';

export interface SkipLockedOptions {
  readonly databaseUrl: string;
  readonly webhook: string;
  readonly workers: number;
}

serveMeasured(async ({ databaseUrl, webhook, workers }: SkipLockedOptions) => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: workers });
  const agent = new Agent({ connections: workers });
  let hasStopped = false;
  const work = async () => {
    const client = await pool.connect();
    while (!hasStopped) {
      await client.query('begin');
      const { rows } = await client.query(
        'select id, payload::text from job where not done order by id limit 1 for update skip locked',
      );
      if (rows[0]) {
        const answer = await request(webhook, {
          dispatcher: agent,
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: rows[0].payload,
        });
        await answer.body.dump();
        await client.query('update job set done = true where id = $1', [rows[0].id]);
      }
      await client.query('commit');
      if (!rows[0]) await new Promise((resolve) => setTimeout(resolve, 100));
    }
    client.release();
  };
  const working = Array.from({ length: workers }, work);
  return {
    port: 0,
    stop: async () => {
      hasStopped = true;
      await Promise.all(working);
      await pool.end();
      await agent.close();
    },
  };
});
