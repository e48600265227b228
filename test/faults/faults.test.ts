import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { expect, test } from 'vitest';
import { applyFault, type Fault, readFaults } from './faults.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const faults = readFaults();

test('there are faults for each random test', () => {
  expect([...new Set(faults.map(({ kind }) => kind))]).toEqual(
    expect.arrayContaining(['metadata', 'mutations', 'queries']),
  );
});

// `npm run fuzz -- faults` runs them; a fault that no longer applies must be noticed by the change that moved its code.
test.each(faults)('$name applies and is still TypeScript', async (fault) => {
  for (const [file, text] of applyFault(fault, root)) {
    expect(text).not.toBe(readFileSync(join(root, file), 'utf8'));
    const { code } = await transform(text, { loader: 'ts', sourcefile: file });
    // The code has to change, not a comment or a type.
    expect(code).not.toBe((await transform(readFileSync(join(root, file), 'utf8'), { loader: 'ts' })).code);
  }
});

test.each(faults.filter(({ foundBy }) => foundBy))('$name is found by a test that exists', ({ foundBy }) => {
  const { file, test: name } = foundBy!;
  expect(readFileSync(join(root, file), 'utf8')).toContain(name);
});

test('a snippet that occurs twice or not at all is refused with its place', () => {
  const file = 'test/faults/faults.ts';
  const fault = (snippet: string): Fault => ({
    name: 'kind/name',
    kind: 'kind',
    edits: [{ file, snippet, replacement: '' }],
  });
  expect(() => applyFault(fault('in no file at all'.toUpperCase()), root)).toThrow(
    /kind\/name\.yaml no longer applies: its snippet does not occur in test\/faults\/faults\.ts/,
  );
  expect(() => applyFault(fault('readonly '), root)).toThrow(/occurs \d+ times in/);
});
