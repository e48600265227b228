import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    alias: { 'engine/contract': fileURLToPath(new URL('runtime/core/contract.ts', import.meta.url)) },
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/harness/global-setup.ts'],
    setupFiles: ['test/harness/output.ts'],
    // Generous: a slow machine is no defect, and no test measures time.
    testTimeout: 60_000,
    retry: process.env.CI ? 1 : 0,
    hookTimeout: 120_000,
  },
});
