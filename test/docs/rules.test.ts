/** `docs/rules.md` is made of the `@rule` lines at the heads of the files that have the rules. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('docs/rules.md names the file of each rule', async () => {
  const files = new Map<string, string[]>();
  for (const folder of ['compiler', 'runtime'])
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue;
      const path = join(entry.parentPath, entry.name);
      for (const [, question] of readFileSync(path, 'utf8').matchAll(/^\/?\s?\*+ @rule (.+?)(?: \*\/)?$/gm))
        files.set(question!, [...(files.get(question!) ?? []), relative(root, path)]);
    }
  expect([...files.keys()].filter((question) => !question.endsWith('?'))).toEqual([]);
  const rows = [...files]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([question, places]) => `| ${question} | ${places.map((place) => `\`${place}\``).join(', ')} |`);
  await expect(
    [
      '# Which file has which rule',
      '',
      'The head of a file that decides something says what (`git grep "@rule"`). This page is made of these lines by',
      '`npx vitest run test/docs/rules.test.ts --update`.',
      '',
      '| Question | File |',
      '|---|---|',
      ...rows,
      '',
    ].join('\n'),
  ).toMatchFileSnapshot('../../docs/rules.md');
});
