import { expect, inject, it } from 'vitest';
import { runCampaign } from './hostile/campaign.ts';
import { describeDefect } from './hostile/check.ts';

it('answers requests with operands of every kind without unexpected errors', async () => {
  const { defects, cases } = await runCampaign({
    serverUrl: inject('postgresUrl'),
    database: `${inject('databasePrefix')}fuzz_hostile`,
    seed: 20_261_122,
    cases: 1500,
  });
  expect(defects.map(describeDefect)).toEqual([]);
  expect(cases).toBe(1500);
});
