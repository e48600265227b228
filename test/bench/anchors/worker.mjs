/**
 * Works off jobs of another queue, each of which calls a webhook: `node worker.mjs graphile-worker|pg-boss DATABASE WEBHOOK JOBS`.
 * Adds the jobs, says `ready`, and begins when it reads a line.
 */
import { once } from 'node:events';
import { Agent, request } from 'undici';

const [kind, database, webhook, count] = process.argv.slice(2);
const CALLS = 100;
const agent = new Agent({ connections: CALLS });

async function call(payload) {
  const answer = await request(webhook, {
    dispatcher: agent,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(payload),
  });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
}

const begun = async () => {
  process.stdout.write('ready\n');
  await once(process.stdin, 'data');
};

const queues = {
  'graphile-worker': async () => {
    const { makeWorkerUtils, run } = await import('graphile-worker');
    const utils = await makeWorkerUtils({ connectionString: database });
    await utils.migrate();
    await utils.withPgClient((client) =>
      client.query(
        `select graphile_worker.add_jobs(array_agg(json_populate_record(null::graphile_worker.job_spec,
           json_build_object('identifier', 'call', 'payload', json_build_object('id', n)))))
         from generate_series(1, $1) n`,
        [Number(count)],
      ),
    );
    await begun();
    await run({
      taskList: { call },
      preset: {
        worker: {
          connectionString: database,
          concurrentJobs: CALLS,
          maxPoolSize: 20,
          localQueue: { size: 2 * CALLS },
          completeJobBatchDelay: 10,
          failJobBatchDelay: 10,
        },
      },
      noHandleSignals: true,
    });
  },
  'pg-boss': async () => {
    const { default: PgBoss } = await import('pg-boss');
    const boss = new PgBoss(database);
    boss.on('error', (error) => process.stderr.write(`${error.message}\n`));
    await boss.start();
    await boss.createQueue('call');
    const jobs = Array.from({ length: Number(count) }, (_, index) => ({
      name: 'call',
      data: { id: index + 1 },
    }));
    for (let index = 0; index < jobs.length; index += 1000)
      await boss.insert(jobs.slice(index, index + 1000));
    await begun();
    // It fetches as often as it is asked: as many workers as there are batches in two hundred jobs.
    for (let worker = 0; worker < 2; worker += 1)
      await boss.work('call', { batchSize: CALLS, pollingIntervalSeconds: 0.5 }, async (batch) => {
        await Promise.all(batch.map(({ data }) => call(data)));
      });
  },
};
await queues[kind]();
