import { expect, inject, it } from 'vitest';
import { runCachedCampaign } from './cached/campaign.ts';

it('answers from memory what a fresh query answers, to every session and after every write', async () => {
  const name = `${inject('databasePrefix')}fuzz_cached`;
  const { fault, compared, hits } = await runCachedCampaign(inject('postgresUrl'), name, 20_261_122, 40);
  expect(fault).toBeUndefined();
  expect(hits).toBeGreaterThan(compared / 10);
  // On a busy machine it takes its time.
}, 180_000);
