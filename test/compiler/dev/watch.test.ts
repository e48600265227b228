/** Changes of files, in the ways in which editors and tools make them. */
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { watchPaths } from '../../../compiler/dev/watch.ts';
import { eachInFolder } from '../../harness/folder.ts';

const folder = eachInFolder();
const { at, write } = folder;
let unwatch = () => {};
afterEach(() => unwatch());

/** The names that were told since the last call. */
function watch(): () => string[] {
  write('metadata/tables/one.yaml', 'one');
  write('.env', 'A=1');
  const told: string[] = [];
  const paths = {
    metadata: [at('metadata')],
    schema: [at('migrations'), at('seed.sql')],
    environment: [at('.env')],
  };
  unwatch = watchPaths(paths, (names) => told.push(...names));
  return () => told.splice(0);
}

const WAYS: readonly [string, string, () => void][] = [
  ['written over', 'metadata', () => write('metadata/tables/one.yaml', 'two')],
  ['of the same length', 'metadata', () => write('metadata/tables/one.yaml', 'eno')],
  ['appended to', 'metadata', () => appendFileSync(at('metadata/tables/one.yaml'), 'more')],
  [
    'written beside and renamed',
    'metadata',
    () => {
      write('metadata/tables/.one.yaml.swp', 'two');
      renameSync(at('metadata/tables/.one.yaml.swp'), at('metadata/tables/one.yaml'));
    },
  ],
  [
    'moved away and written anew',
    'metadata',
    () => {
      renameSync(at('metadata/tables/one.yaml'), at('metadata/tables/one.yaml~'));
      write('metadata/tables/one.yaml', 'two');
    },
  ],
  [
    'removed and written anew',
    'metadata',
    () => {
      rmSync(at('metadata/tables/one.yaml'));
      write('metadata/tables/one.yaml', 'two');
    },
  ],
  ['removed', 'metadata', () => rmSync(at('metadata/tables/one.yaml'))],
  ['renamed', 'metadata', () => renameSync(at('metadata/tables/one.yaml'), at('metadata/tables/two.yaml'))],
  ['new', 'metadata', () => write('metadata/tables/two.yaml', 'two')],
  ['in a new folder', 'metadata', () => write('metadata/databases/default/tables.yaml', '[]')],
  ['gone with its folder', 'metadata', () => rmSync(at('metadata'), { recursive: true })],
  ['in a folder that is made later', 'schema', () => write('migrations/1_first/up.sql', 'select 1')],
  ['that is made later', 'schema', () => write('seed.sql', 'select 1')],
  ['of the environment', 'environment', () => write('.env', 'A=2')],
  ['of the environment, removed', 'environment', () => rmSync(at('.env'))],
];

test.each(WAYS)('a file %s', async (_, name, change) => {
  const told = watch();
  change();
  const all: string[] = [];
  await expect.poll(() => all.push(...told()) && all, { timeout: 30_000, interval: 20 }).toContain(name);
  // The place of it is watched from then on.
  write('metadata/tables/later.yaml', 'later');
  await expect
    .poll(() => all.push(...told()) && all.filter((each) => each === 'metadata').length, { timeout: 30_000 })
    .toBeGreaterThan(name === 'metadata' ? 1 : 0);
  expect(new Set(all)).toEqual(new Set([name, 'metadata']));
});

test('what editors keep beside files is no change, and links that lead back are followed once', async () => {
  write('metadata/tables/one.yaml', 'one');
  symlinkSync(at('metadata'), at('metadata/tables/back'));
  const told = watch();
  for (const path of ['.one.yaml.swp', '4913', 'one.yaml~', '#one.yaml#', '.git/index'])
    write(`metadata/tables/${path}`, 'x');
  mkdirSync(at('metadata/node_modules'));
  writeFileSync(at('other.txt'), 'x');
  write('.env', 'A=2');
  await expect.poll(told, { timeout: 30_000 }).toEqual(['environment']);
});
