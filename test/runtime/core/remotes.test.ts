/** Nothing outside a permission of a remote schema leaves, and presets stay: `npm run fuzz -- remote` with few cases. */
import { expect, test } from 'vitest';
import { describeFailure, runCampaign } from '../../fuzz/remote/campaign.ts';

test('nothing outside a permission leaves, and presets stay', async () => {
  const { failed, counts } = await runCampaign({ seed: 20_260_501, cases: 100 });
  expect(failed && describeFailure(failed)).toBeUndefined();
  expect(counts.roots).toBeGreaterThan(200);
  expect(counts.joins).toBeGreaterThan(50);
  expect(counts.refused).toBeGreaterThan(200);
  expect(counts.presets).toBeGreaterThan(100);
});
