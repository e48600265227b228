import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { type CompileResult, compile } from '../../compiler/index.ts';
import { readMetadataFile } from '../../compiler/phases/1-read/index.ts';
import { applyAllowances, readLintConfiguration } from '../../compiler/review/lint/configuration.ts';
import { LINT_CODES, lint } from '../../compiler/review/lint/index.ts';
import { placeTables } from '../../compiler/review/lint/place.ts';
import { readCases } from '../../compiler/review/permission-tests/cases.ts';
import { testPermissions } from '../../compiler/review/permission-tests/index.ts';
import { openTrialDatabase } from '../../compiler/review/permission-tests/trial.ts';
import type { SourceCatalog } from '../../runtime/catalog/catalog.ts';
import type { Metadata } from '../../runtime/metadata/metadata.ts';
import { catalogsOf, SERVING } from '../harness/compile.ts';
import { createTestDatabase } from '../harness/postgres.ts';

const example = (path: string) => fileURLToPath(new URL(`../../examples/helpdesk/${path}`, import.meta.url));

let url: string;
let metadata: Metadata;
let catalogs: Record<string, SourceCatalog>;
let compiled: CompileResult;

beforeAll(async () => {
  const sql = ['schema.sql', 'seed.sql', 'tests/rows.sql']
    .map((file) => readFileSync(example(file), 'utf8'))
    .join('\n');
  ({ url } = await createTestDatabase(sql));
  metadata = readMetadataFile(example('metadata')).value;
  catalogs = await catalogsOf(metadata, url);
  compiled = compile({ metadata, catalogs });
});

test('the lint finds nothing in the example but what it allows with a reason', () => {
  const { model, plan } = compiled.state;
  const configuration = readLintConfiguration(example('engine-lint.yaml'), LINT_CODES);
  const found = lint(placeTables(metadata, model, plan, catalogs), configuration);
  expect(applyAllowances(found, configuration.allow)).toEqual({ remaining: [], allowed: 8 });
});

test('the permissions of the example hold what its cases and its rules say', async () => {
  const database = await openTrialDatabase({ connectionString: url });
  const { suites } = await testPermissions({
    compiled,
    compile: () => compiled,
    catalogs,
    serving: SERVING,
    cases: readCases(example('tests')),
    databases: new Map([['default', database]]),
    isolation: true,
    mutations: false,
    say: () => {},
  }).finally(() => database.close());
  const failed = suites.flatMap(({ name, checks }) =>
    checks.filter(({ outcome }) => outcome === 'failed').map((check) => ({ suite: name, ...check })),
  );
  expect(failed).toEqual([]);
  const cases = suites.filter(({ name }) => name.endsWith('.yaml'));
  expect(cases.map(({ name, checks }) => [basename(name), checks.length])).toEqual([
    ['agent.yaml', 14],
    ['customer.yaml', 15],
    ['manager.yaml', 7],
    ['offered.yaml', 6],
    ['public.yaml', 2],
    ['reading.yaml', 53],
    ['writing.yaml', 63],
  ]);
  expect(suites.length).toBeGreaterThan(50);
}, 300_000);
