/**
 * Ledgers name the relationships along which statements leave out the rule of the related table: those of random projects
 * with rules that follow, or nearly follow, and of the example. The cases of `test/cases` are compared in cases.test.ts.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, inject, test } from 'vitest';
import { compile } from '../../../../compiler/index.ts';
import { readMetadataFile } from '../../../../compiler/phases/1-read/index.ts';
import { linkProgram } from '../../../../runtime/core/program/program.ts';
import { createLoader } from '../../../../runtime/program/loader.ts';
import { projectMetadata, projectSql } from '../../../fuzz/queries/database.ts';
import { randomProject } from '../../../fuzz/queries/random-project.ts';
import { Random } from '../../../fuzz/random.ts';
import { createScratchDatabase } from '../../../fuzz/scratch-database.ts';
import { catalogsOf } from '../../../harness/compile.ts';
import { serveInProcess } from '../../../harness/in-process.ts';
import { leftOutByPlanner, leftOutDifference, leftOutOfStatements } from '../../../harness/left-out-rules.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';

test('of random projects', async () => {
  const settings = ['search_path = public, extensions'];
  const name = `${inject('databasePrefix')}left_out_rules`;
  const { client, url, drop } = await createScratchDatabase(inject('postgresUrl'), name, settings);
  const loader = createLoader();
  const counts = { leftOut: 0, ruled: 0 };
  try {
    await client.query('create schema extensions; create extension citext schema extensions');
    for (let seed = 1; seed <= 12; seed += 1) {
      const project = randomProject(new Random(seed));
      await client.query(projectSql(project));
      const served = await serveInProcess(url, projectMetadata(project), loader);
      await served.end();
      expect(leftOutOfStatements(served), `statements of seed ${seed}`).toEqual(
        leftOutByPlanner(served.program).leftOut,
      );
      expect(leftOutDifference(served.program, served.ledgers), `seed ${seed}`).toEqual([]);
      const { leftOut, ruled } = leftOutByPlanner(served.program);
      counts.leftOut += leftOut.length;
      counts.ruled += ruled;
    }
  } finally {
    await drop();
  }
  // Both happen often enough.
  expect(counts.leftOut).toBeGreaterThan(50);
  expect(counts.ruled - counts.leftOut).toBeGreaterThan(50);
});

test('of the example', async () => {
  const path = (file: string) =>
    fileURLToPath(new URL(`../../../../examples/helpdesk/${file}`, import.meta.url));
  const { url } = await createTestDatabase(readFileSync(path('schema.sql'), 'utf8'));
  const { value: metadata, origin } = readMetadataFile(path('metadata'));
  const { files, state } = compile({ metadata, origin, catalogs: await catalogsOf(metadata, url) });
  const program = linkProgram(await createLoader().load(files), { inferFunctionPermissions: true });
  expect(leftOutDifference(program, state.plan.ledgers)).toEqual([]);
  expect(leftOutByPlanner(program).leftOut).toContain(
    'customer, default public.ticket, customer, public.customer',
  );
});
