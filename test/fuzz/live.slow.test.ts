import { expect, inject, it } from 'vitest';
import { runLiveCampaign } from './live/campaign.ts';

it('gives every client of a live query what a fresh query answers', async () => {
  const { fault, compared } = await runLiveCampaign(inject('postgresUrl'), 20_261_122, 120);
  expect(fault).toBeUndefined();
  expect(compared).toBeGreaterThan(100);
  // On a busy machine it takes its time.
}, 180_000);
