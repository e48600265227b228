/** `npm run test:soak -- --minutes N`: mixed load with faults at random, for so long. */
import { spawnSync } from 'node:child_process';
import { Command } from 'commander';

const { minutes, seed } = new Command('npm run test:soak --')
  .description(
    'Run queries, writes, subscriptions, events and metadata changes while databases break at random.',
  )
  .option('--minutes <number>', 'duration', '60')
  .option('--seed <number>', 'of the faults', '1')
  .parse()
  .opts<{ minutes: string; seed: string }>();
const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'soak', '--disable-console-intercept'], {
  stdio: 'inherit',
  env: { ...process.env, ENGINE_SOAK_MINUTES: minutes, ENGINE_SOAK_SEED: seed },
});
process.exitCode = status ?? 1;
