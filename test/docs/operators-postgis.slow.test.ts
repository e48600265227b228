/** The examples of docs/operators.md for types of PostGIS. */
import { afterAll, beforeAll, describe } from 'vitest';
import { exampleSets } from '../../scripts/docs/operators.ts';
import type { InProcess } from '../harness/in-process.ts';
import { serveExamples, testExamples } from '../harness/operator-examples.ts';
import { createPostgisDatabase, type PostgisDatabase } from '../harness/postgis.ts';

describe.each(exampleSets.filter(({ postgis }) => postgis))('$title', (set) => {
  let database: PostgisDatabase;
  let served: InProcess;
  beforeAll(async () => {
    database = await createPostgisDatabase(set.schema);
    served = await serveExamples(set, database.url);
  }, 120_000);
  afterAll(async () => {
    await served.end();
    await database.end();
  });
  testExamples(set, () => served);
});
