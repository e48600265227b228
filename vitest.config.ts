import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

/** Tests that break databases and servers on purpose: one after the other, because they would measure each other. */
const OUTAGES = 'test/outages/**/*.test.ts';

/** One test for as long as `npm run test:soak` says. */
const SOAK = 'test/soak/*.test.ts';

/** Tests that take many seconds each: real projects, packages, processes that are killed. CI runs them in a step of their own. */
const SLOW = 'test/**/*.slow.test.ts';

export default defineConfig({
  resolve: {
    alias: {
      'engine/contract': fileURLToPath(new URL('runtime/core/contract/contract.ts', import.meta.url)),
    },
  },
  test: {
    globalSetup: ['test/harness/global-setup.ts'],
    setupFiles: ['test/harness/setup.ts'],
    // Generous: a slow machine is no defect, and no test measures time.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // Time that `expect.poll` waits, unless it says otherwise.
    expect: { poll: { timeout: 30_000 } },
    // `npm test` runs the first, `npm run test:slow` the second, `npm run test:faults` the third, `npx vitest run PATH` whatever is there.
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, SLOW, OUTAGES, SOAK],
          // Loading the sources takes longer than most files' tests, so the files of a worker share them.
          isolate: false,
          // One worker fewer by default, which on two cores is one. The tests wait for PostgreSQL and sockets most of the time.
          maxWorkers: '100%',
        },
      },
      {
        extends: true,
        test: { name: 'slow', include: [SLOW], maxWorkers: '100%', sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: { name: 'faults', include: [OUTAGES], maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
      {
        extends: true,
        test: { name: 'soak', include: [SOAK], execArgv: ['--expose-gc'], sequence: { groupOrder: 3 } },
      },
    ],
  },
});
