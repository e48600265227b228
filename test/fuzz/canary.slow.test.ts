import { expect, inject, it } from 'vitest';
import { runCanary } from './canary/campaign.ts';

it('audit who lists every role that reads a value, and the field where it comes out', async () => {
  const result = await runCanary({
    serverUrl: inject('postgresUrl'),
    database: `${inject('databasePrefix')}fuzz_canary`,
    seed: 20_261_126,
    operations: 1000,
  });
  if (result.failure !== undefined) expect.fail(result.failure);
  expect(result.seen).toBeGreaterThan(100);
  expect(result.possible).toBeGreaterThan(10);
}, 300_000);
