import { expect, inject, it } from 'vitest';
import { runCampaign } from './interference/campaign.ts';
import { describeFailure } from './interference/main.ts';

const SEED = 20_261_122;

it('answers alike, whatever the role may not see', async () => {
  const { failed, cases, outcomes } = await runCampaign({
    serverUrl: inject('postgresUrl'),
    database: `${inject('databasePrefix')}fuzz_interference`,
    seed: SEED,
    cases: 600,
  });
  if (failed) expect.fail(describeFailure(failed, SEED));
  expect(cases).toBe(600);
  expect(outcomes.get('data')).toBeGreaterThan(200);
});
