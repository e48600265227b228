import { expect, test } from 'vitest';
import { growth } from './flatness.ts';

const samples = (values: readonly number[]) => values.map((value, at) => ({ at, value }));

test.each([
  ['what is constant does not grow', [5, 5, 5, 5], 0],
  ['what rises and falls does not grow', [5, 9, 5, 9, 5, 9, 5], 0],
  ['a spike is no growth', [5, 5, 5, 80, 5, 5, 5, 5, 5], 0],
  ['what grows steadily grows by its slope', [0, 2, 4, 6, 8], 2],
  ['a leak under noise is found', [1, 0, 3, 2, 5, 4, 7, 6, 9, 8], 1],
  ['what falls has a negative slope', [8, 6, 4], -2],
  ['one sample says nothing', [5], 0],
])('%s', (_, values, slope) => {
  expect(growth(samples(values))).toBeCloseTo(slope, 0);
});
