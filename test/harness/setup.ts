/** Runs before every test file (see vitest.config.ts), also where files share the modules of a worker. */
import { afterAll } from 'vitest';
import { recordOutput, saveOutput } from './output.ts';
import { dropTestDatabases } from './postgres.ts';

recordOutput();

afterAll(async () => {
  await dropTestDatabases();
  saveOutput();
});
