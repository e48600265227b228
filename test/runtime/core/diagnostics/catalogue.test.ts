import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseMessages, refuseDuplicates } from '../../../../compiler/review/findings/messages.ts';
import { messages } from '../../../../runtime/core/diagnostics/catalogue.ts';
import { generate } from '../../../../scripts/generate-diagnostics.ts';

const repository = new URL('../../../../', import.meta.url);

test('the generated catalogue and reference page are what the messages say', () => {
  for (const [path, text] of Object.entries(generate())) {
    expect(readFileSync(new URL(path, repository), 'utf8'), `${path}: run npm run generate:diagnostics`).toBe(
      text,
    );
  }
});

test('every message is used', () => {
  const sources = ['compiler/', 'runtime/metadata/']
    .flatMap((folder) =>
      (readdirSync(new URL(folder, repository), { recursive: true }) as string[])
        .filter((path) => path.endsWith('.ts'))
        .map((path) => readFileSync(new URL(folder + path, repository), 'utf8')),
    )
    .join('\n');
  const unused = Object.keys(messages).filter((name) => !new RegExp(`\\.${name}\\(`).test(sources));
  expect(unused).toEqual([]);
});

test('a message has a code, a quote whose first line is the message, and prose', () => {
  const markdown = '# Chapter\n\n## some-code\n> What %hole%.\n> Advice %other?%.\n\nWhy.\n';
  expect(parseMessages(markdown, 'error')).toEqual([
    {
      code: 'some-code',
      severity: 'error',
      lines: ['What %hole%.', 'Advice %other?%.'],
      prose: 'Why.',
      chapter: 'Chapter',
    },
  ]);
  expect(() => parseMessages('## Some code\n> Text.\n\nWhy.', 'error')).toThrow('is not a code');
  expect(() => parseMessages('## some-code\n\nWhy.', 'error')).toThrow('needs a quote');
  expect(() => parseMessages('## some-code\n> Text.', 'error')).toThrow('prose');
});

test('a code cannot be defined twice', () => {
  const messages = parseMessages('## one\n> A.\n\nB.\n\n## one\n> C.\n\nD.', 'error');
  expect(() => refuseDuplicates(messages)).toThrow('"one" is defined twice');
});

test('a detail line goes when its optional hole is empty', () => {
  expect(messages.unknownKey({ key: 'tabels', nearest: 'tables' }).details).toEqual([
    'Did you mean "tables"?',
  ]);
  expect(messages.unknownKey({ key: 'zzz' })).not.toHaveProperty('details');
});
