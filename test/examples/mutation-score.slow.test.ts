import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { compile } from '../../compiler/index.ts';
import { readMetadataFile } from '../../compiler/phases/1-read/index.ts';
import { readCases } from '../../compiler/review/permission-tests/cases.ts';
import { testPermissions } from '../../compiler/review/permission-tests/index.ts';
import { mutationScore } from '../../compiler/review/permission-tests/report.ts';
import { openTrialDatabase } from '../../compiler/review/permission-tests/trial.ts';
import { catalogsOf, SERVING } from '../harness/compile.ts';
import { createTestDatabase } from '../harness/postgres.ts';

const example = (path: string) => fileURLToPath(new URL(`../../examples/helpdesk/${path}`, import.meta.url));

test('nine of ten weakened permissions of the example are noticed when they are committed', async () => {
  const sql = ['schema.sql', 'seed.sql', 'tests/rows.sql'].map((file) => readFileSync(example(file), 'utf8'));
  const { url } = await createTestDatabase(sql.join('\n'));
  const metadata = readMetadataFile(example('metadata')).value;
  const catalogs = await catalogsOf(metadata, url);
  const compiled = compile({ metadata, catalogs });
  const database = await openTrialDatabase({ connectionString: url });
  const { mutations } = await testPermissions({
    compiled,
    compile: (mutant) => compile({ metadata: mutant, catalogs }, compiled),
    catalogs,
    serving: SERVING,
    cases: readCases(example('tests')),
    databases: new Map([['default', database]]),
    isolation: true,
    mutations: true,
    say: () => {},
  }).finally(() => database.close());
  expect(mutations.length).toBeGreaterThan(700);
  expect(mutationScore(mutations)).toBeGreaterThanOrEqual(90);
}, 900_000);
