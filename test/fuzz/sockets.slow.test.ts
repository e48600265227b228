import { expect, inject, it } from 'vitest';
import { runCampaign } from './sockets/campaign.ts';

it('goes on, answers others and expects every error, whatever clients and peers send', async () => {
  const { found, frames, requests } = await runCampaign({
    serverUrl: inject('postgresUrl'),
    database: `${inject('databasePrefix')}fuzz_sockets`,
    seed: 20_261_126,
    cases: 4000,
  });
  expect(found).toEqual([]);
  expect(Math.min(frames, requests)).toBeGreaterThan(3900);
  // On a busy machine it takes its time.
}, 300_000);
