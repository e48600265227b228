import { expect, inject, it } from 'vitest';
import { runCampaign as runMutations } from './mutations/campaign.ts';
import { describeFailure as describeMutation } from './mutations/main.ts';
import { runCampaign as runQueries } from './queries/campaign.ts';
import { describeFailure as describeQuery } from './queries/main.ts';
import { randomDistribution } from './shards/distribution.ts';

const options = { seed: 20_261_127, shrinks: true, distribution: randomDistribution };

it('answers random queries in the forms for a cluster as plain PostgreSQL does, or refuses them', async () => {
  const { failed, cases, refused } = await runQueries({
    ...options,
    serverUrl: inject('postgresUrl'),
    database: `${inject('databasePrefix')}fuzz_shard_queries`,
    cases: 150,
  });
  if (failed) expect.fail(describeQuery(failed));
  expect(refused).toBeLessThan(0.7 * cases);
});

it('writes in the forms for a cluster what plain PostgreSQL writes, or nothing', async () => {
  const { failed, cases, refused } = await runMutations({
    ...options,
    serverUrl: inject('postgresUrl'),
    database: `${inject('databasePrefix')}fuzz_shard_mutations`,
    cases: 150,
  });
  if (failed) expect.fail(describeMutation(failed));
  expect(refused).toBeLessThan(0.7 * cases);
});
