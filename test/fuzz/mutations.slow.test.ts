import { expect, inject, it } from 'vitest';
import { describeDefect } from './hostile/check.ts';
import { runCampaign } from './mutations/campaign.ts';
import { describeFailure } from './mutations/main.ts';

it('writes what the model writes, and nothing where the model refuses', async () => {
  const { failed, defect, cases } = await runCampaign({
    serverUrl: inject('postgresUrl'),
    database: `${inject('databasePrefix')}fuzz_mutations`,
    seed: 20_261_121,
    cases: 300,
    shrinks: true,
  });
  if (failed) expect.fail(describeFailure(failed));
  if (defect) expect.fail(describeDefect(defect));
  expect(cases).toBe(300);
});
