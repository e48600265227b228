import { expect, inject, it } from 'vitest';
import { runCampaign } from './interference/campaign.ts';
import { describeFailure } from './interference/main.ts';
import { runSessionsCampaign } from './interference/sessions.ts';

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

it('answers alike, whatever other sessions ask', async () => {
  const name = `${inject('databasePrefix')}fuzz_sessions`;
  const { fault, outcomes } = await runSessionsCampaign(inject('postgresUrl'), name, SEED, 100);
  expect(fault).toBeUndefined();
  for (const kind of [
    'cached, kept',
    'saved, with data',
    'page behind a cursor, with data',
    'nested insert, with data',
  ])
    expect.soft(outcomes.get(kind), kind).toBeGreaterThan(0);
  // On a busy machine it takes its time.
}, 180_000);
