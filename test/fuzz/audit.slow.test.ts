import { expect, inject, it } from 'vitest';
import { runBesideCampaign } from './audit/beside.ts';
import { runCampaign, runCatalogCampaign } from './audit/campaign.ts';
import { describeFailure } from './audit/main.ts';
import { runNeutralCampaign } from './audit/neutral.ts';

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
    cases: 16,
  });
  if (failed) expect.fail(describeFailure(failed, SEED));
  expect(alarms).toEqual([]);
  expect(neutral).toBeGreaterThan(0);
}, 900_000);

it('says what every change beside permissions gives and takes, and calls neutral ones equal', async () => {
  const { defect, alarms, neutral } = await runBesideCampaign({
    serverUrl: inject('postgresUrl'),
    database: `${inject('databasePrefix')}fuzz_audit_beside`,
    seed: SEED,
    cases: 40,
  });
  expect(defect).toBeUndefined();
  expect(alarms).toEqual([]);
  expect(neutral).toBeGreaterThan(0);
}, 900_000);

it('calls rewrites of rules equal that let through the same rows', async () => {
  const { cases, alarms } = await runNeutralCampaign({
    serverUrl: inject('postgresUrl'),
    database: `${inject('databasePrefix')}fuzz_audit_neutral`,
    seed: SEED,
    cases: 100,
  });
  expect(cases).toBe(100);
  expect(alarms.length, alarms.join('\n')).toBeLessThanOrEqual(5);
}, 900_000);
