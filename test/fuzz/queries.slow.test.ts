import { expect, inject, it } from 'vitest';
import { runCampaign } from './queries/campaign.ts';
import { describeFailure } from './queries/main.ts';

it('answers random queries as computed from the raw rows', async () => {
  const { failed, cases } = await runCampaign({
    serverUrl: inject('postgresUrl'),
    database: `${inject('databasePrefix')}fuzz_queries`,
    seed: 20_261_121,
    cases: 400,
    shrinks: true,
  });
  if (failed) expect.fail(describeFailure(failed));
  expect(cases).toBe(400);
});
