import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { turnsIn } from '../../scripts/check-words.ts';

const contributing = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8');
const words = contributing.slice(contributing.indexOf('## Words'), contributing.indexOf('## Messages'));
const rows = [...words.matchAll(/^\| (.+?) \| (.+?) \|$/gm)]
  .map(([, turn, instead]) => [turn!, instead!] as const)
  .filter(([turn]) => turn !== 'Not' && !turn.startsWith('---'));

test('CONTRIBUTING names twelve turns of phrase', () => expect(rows).toHaveLength(12));

test.each(rows)('"%s" is found, and "%s" is not', (turn, instead) => {
  expect(turnsIn(turn)).toHaveLength(1);
  expect(turnsIn(instead)).toEqual([]);
});

test.each([
  'The server is no longer asked for it.',
  'Besides, it is fast.',
  'It is as it is in the catalog.',
  'What a role reads is below.',
])('"%s" is left alone', (line) => {
  expect(turnsIn(line).filter(({ advice }) => advice !== 'name the subject')).toEqual([]);
});
