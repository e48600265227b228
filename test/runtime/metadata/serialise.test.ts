import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { exportMetadata, readMetadata } from '../../../compiler/phases/1-read/index.ts';
import { createSerialiser } from '../../../runtime/metadata/serialise.ts';

const cases = new URL('../../cases/', import.meta.url);

describe('the stored text', () => {
  test.each(readdirSync(cases))('is the export, also after changes: %s', (name) => {
    const text = readFileSync(new URL(`${name}/metadata.json`, cases), 'utf8');
    const { value } = readMetadata(JSON.parse(text));
    const [source] = value.sources;
    const renamed = { ...source!, name: '"tables":[]', tables: source!.tables.toReversed() };
    const serialise = createSerialiser();
    for (const metadata of [
      value,
      { ...value, sources: [renamed, source!] },
      { ...value, sources: [{ ...source!, tables: source!.tables.slice(1) }] },
      { ...value, sources: [] },
    ])
      expect(serialise(metadata)).toBe(JSON.stringify(exportMetadata(metadata, 'store')));
  });
});
