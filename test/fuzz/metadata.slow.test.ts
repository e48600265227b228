import { expect, inject, it } from 'vitest';
import { runCampaign } from './metadata/campaign.ts';
import { describeFailure } from './metadata/main.ts';

it('stores, serves and restarts the same after every random operation', async () => {
  const { failed, cases, counts } = await runCampaign({
    serverUrl: inject('postgresUrl'),
    database: `${inject('databasePrefix')}fuzz_metadata`,
    seed: 20_261_121,
    cases: 240,
  });
  if (failed) expect.fail(describeFailure(failed));
  expect(cases).toBe(240);
  // Sequences in which everything is refused would prove nothing.
  const all = [...counts.values()];
  expect(all.reduce((sum, { accepted }) => sum + accepted, 0)).toBeGreaterThan(60);
  expect(all.reduce((sum, { refused }) => sum + refused, 0)).toBeGreaterThan(60);
  // On a busy machine it takes its time.
}, 180_000);
