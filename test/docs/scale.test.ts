/** The tables of docs/scale.md follow from the figures of docs/benchmarks.md. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FIGURES } from '../bench/scale/figures.ts';
import { mostClients, needOf } from '../bench/scale/model.ts';
import { scaleTables } from '../bench/scale/table.ts';

const page = readFileSync(new URL('../../docs/scale.md', import.meta.url), 'utf8');

test.each(Object.entries(scaleTables))('%s, as `npm run bench -- scale` prints it', (_, table) => {
  expect(page).toContain(`\n${table()}\n`);
});

test('figures are numbers of the page of benchmarks', () => {
  for (const { name, value } of Object.values(FIGURES)) expect(value, name).toBeGreaterThan(0);
});

test('more clients never need less', () => {
  for (let clients = 1000; clients <= 2_000_000; clients *= 2) {
    const [less, more] = [needOf(clients), needOf(2 * clients)];
    for (const key of ['cores', 'databaseCores', 'processes', 'memory', 'connections', 'deliverers'] as const)
      expect(more[key], `${key} of ${2 * clients}`).toBeGreaterThanOrEqual(less[key]);
  }
});

test('a limit is the last number of clients that keeps it', () => {
  const most = mostClients(({ connections }) => connections <= 500);
  expect(needOf(most).connections).toBeLessThanOrEqual(500);
  expect(needOf(most + 1000).connections).toBeGreaterThan(500);
});
