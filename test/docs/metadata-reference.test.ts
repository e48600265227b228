/** The reference of the metadata: every key has a meaning and an example, and the examples compile without a diagnostic. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { compile } from '../../compiler/index.ts';
import { readMetadata } from '../../compiler/phases/1-read/index.ts';
import { metadataSections } from '../../scripts/docs/metadata.ts';
import { type Row, rowsOf } from '../../scripts/docs/shapes.ts';
import { catalogsOf } from '../harness/compile.ts';
import { createTestDatabase } from '../harness/postgres.ts';

const read = (name: string) =>
  readFileSync(new URL(`../../examples/every-key/${name}`, import.meta.url), 'utf8');
const sections = metadataSections();
const rows = sections.flatMap(({ title, shape, shown }) =>
  rowsOf(shape).map((row) => ({ name: `${title}: ${row.key}`, row, isShown: shown.has(row.key) })),
);

/** A compile reports keys that have no effect, so the example is without them. */
const hasNoEffect = ({ meaning = '' }: Row) => /^(Kept, without effect|Not supported)/.test(meaning);

describe('the reference of the metadata', () => {
  test('says what every key means', () => {
    expect(rows.length).toBeGreaterThan(250);
    expect(rows.filter(({ row }) => row.meaning === undefined).map(({ name }) => name)).toEqual([]);
  });

  test('shows every key that has an effect in an example', () => {
    expect(rows.filter(({ row, isShown }) => !isShown && !hasNoEffect(row)).map(({ name }) => name)).toEqual(
      [],
    );
  });

  test('has examples that compile without a diagnostic', async () => {
    const { url } = await createTestDatabase(read('schema.sql'));
    const { value: metadata, diagnostics } = readMetadata(parse(read('metadata.yaml')));
    expect(diagnostics).toEqual([]);
    const sdl = read('weather.graphql');
    const result = compile({
      metadata,
      catalogs: await catalogsOf(metadata, url),
      remotes: { weather: { sdl }, tax: { sdl: 'type Query { rate(country: String!): Float }' } },
    });
    expect(result.diagnostics).toEqual([]);
  });
});
