/** The reference of operators: each has a sentence and an example, and the examples give the rows that it says. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COLUMN_OPERATORS, METADATA_SPELLINGS, OPERATORS } from '../../runtime/core/operators.ts';
import { exampleOf, exampleSets } from '../../scripts/docs/operators.ts';
import type { InProcess } from '../harness/in-process.ts';
import { serveExamples, testExamples } from '../harness/operator-examples.ts';
import { createTestDatabase } from '../harness/postgres.ts';

describe('every operator', () => {
  test('has a meaning', () => {
    const silent = OPERATORS.filter(({ description, meaning }) => !(description ?? meaning));
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  test('has an example, but those of rasters and the second form of a name', () => {
    const without = OPERATORS.filter((operator) => exampleOf(operator) === undefined).map(({ name }) => name);
    expect(without).toEqual([
      '_neq',
      '_nin',
      '_st_intersects_rast',
      '_st_intersects_nband_geom',
      '_st_intersects_geom_nband',
    ]);
  });

  test.each([...Object.keys(COLUMN_OPERATORS), ...Object.keys(METADATA_SPELLINGS)])(
    '%s has an example',
    (name) => {
      const rules = exampleSets.flatMap(({ examples }) => examples).map(({ rule }) => JSON.stringify(rule));
      expect(rules.some((rule) => rule?.includes(`"${name}"`))).toBe(true);
    },
  );
});

describe.each(exampleSets.filter(({ postgis }) => !postgis))('$title', (set) => {
  let served: InProcess;
  beforeAll(async () => {
    const { url } = await createTestDatabase(set.schema);
    served = await serveExamples(set, url);
  });
  afterAll(() => served.end());
  testExamples(set, () => served);
});
