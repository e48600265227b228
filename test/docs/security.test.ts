import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(fileURLToPath(new URL(path, root)), 'utf8');

/** `| promise | `file`: title |` */
const named = [...read('docs/security.md').matchAll(/\| `(test\/[^`]+)`: (.+) \|$/gm)].map(
  ([, file, title]) => ({
    file: file!,
    title: title!,
  }),
);

describe('docs/security.md names tests that exist', () => {
  test('some', () => {
    expect(named.length).toBeGreaterThan(40);
  });

  test.each(named)('$file: $title', ({ file, title }) => {
    expect(read(file)).toMatch(new RegExp(`['"]${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}['"]`));
  });
});
