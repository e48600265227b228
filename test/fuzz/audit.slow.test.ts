import { expect, inject, it } from 'vitest';
import { runCampaign, runCatalogCampaign } from './audit/campaign.ts';
import { describeFailure } from './audit/main.ts';

const SEED = 20_261_123;

it('says what every change of metadata gives and takes', async () => {
  const { failed, cases, outcomes } = await runCampaign({
    serverUrl: inject('postgresUrl'),
    database: `${inject('databasePrefix')}fuzz_audit`,
    seed: SEED,
    cases: 250,
  });
  if (failed) expect.fail(describeFailure(failed, SEED));
  expect(cases).toBe(250);
  // Enough of them let a role do more.
  expect(
    [...outcomes].reduce((sum, [name, count]) => (name.startsWith('won') ? sum + count : sum), 0),
  ).toBeGreaterThan(50);
}, 900_000);

it('says what every change of the database gives and takes, and calls neutral ones equal', async () => {
  const { failed, alarms, neutral } = await runCatalogCampaign({
    serverUrl: inject('postgresUrl'),
    database: `${inject('databasePrefix')}fuzz_audit_below`,
    seed: SEED,
    cases: 40,
  });
  if (failed) expect.fail(describeFailure(failed, SEED));
  expect(alarms).toEqual([]);
  expect(neutral).toBeGreaterThan(3);
}, 900_000);
