import { expect, inject, it } from 'vitest';
import { describeDefect } from './hostile/check.ts';
import { runCampaign } from './queries/campaign.ts';
import { describeFailure } from './queries/main.ts';

it('answers random queries as computed from the raw rows', async () => {
  const { failed, defect, cases } = await runCampaign({
    serverUrl: inject('postgresUrl'),
    database: `${inject('databasePrefix')}fuzz_queries`,
    seed: 20_261_121,
    cases: 400,
    shrinks: true,
  });
  if (failed) expect.fail(describeFailure(failed));
  if (defect) expect.fail(describeDefect(defect));
  expect(cases).toBe(400);
});
