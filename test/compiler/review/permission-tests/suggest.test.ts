/** Cases that are suggested for mutants which nothing notices: they pass, and the next run notices with them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readCases } from '../../../../compiler/review/permission-tests/cases.ts';
import { countChecks, mutationScore, testText } from '../../../../compiler/review/permission-tests/report.ts';
import { suggestionText } from '../../../../compiler/review/permission-tests/suggest.ts';
import { metadata, tested } from './setting.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'engine-suggestions-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const own = { owner: 'X-Engine-User-Id' };
const write = (operation: string, permission: object) => ({
  [`${operation}_permissions`]: [{ role: 'user', permission }],
});

/** The filter of `select`, other permissions, and the mutants that no row of the database shows. */
const PROJECTS: readonly (readonly [name: string, filter: object, more: object, left: readonly string[]])[] =
  [
    [
      'rows that are read',
      { ...own, _or: [{ public: true }, { mail: { _like: 'a%' } }] },
      {},
      ['user · select · task: with mail: _like %a% instead of a%'],
    ],
    ['rows by a relationship', { team: { name: 'X-Engine-Team' }, public: true }, {}, []],
    [
      'columns without their key',
      own,
      { select_permissions: [{ role: 'user', permission: { columns: ['mail'], filter: own } }] },
      [],
    ],
    ['rows that are deleted', {}, write('delete', { filter: { ...own, public: false } }), []],
    [
      'rows that are inserted',
      own,
      write('insert', {
        columns: ['id', 'mail', 'public'],
        check: { public: { _eq: true }, mail: { _neq: 'c' } },
        set: { owner: 'X-Engine-User-Id' },
      }),
      // The role does not read the column.
      ['user · insert · task: owner set to 20, instead of X-Engine-User-Id'],
    ],
    [
      'rows that are updated, and what they become',
      { public: true },
      write('update', { columns: ['mail', 'public'], filter: own, check: { ...own, mail: { _neq: 'c' } } }),
      // Nor does it write this one, whose value the filter knows.
      ['user · update check · task: without owner: X-Engine-User-Id'],
    ],
    [
      'operations of trusted callers, and limits',
      own,
      {
        ...write('delete', { filter: own, backend_only: true }),
        select_permissions: [
          {
            role: 'user',
            permission: { columns: ['id'], filter: {}, limit: 2, query_root_fields: ['select'] },
          },
        ],
      },
      [],
    ],
  ];

test.each(PROJECTS)('%s', async (_name, filter, more, left) => {
  const json = metadata(filter, more);
  const { result } = await tested(json, undefined, [], true, undefined, true);
  const file = join(folder, 'suggested.yaml');
  writeFileSync(file, suggestionText(result.suggestions));
  const suggested = result.mutations.filter(({ isSuggested }) => isSuggested).length;
  expect(suggested).toBeGreaterThan(0);
  expect(testText(result)).toContain(`by which ${suggested} of the other`);
  expect(new Set(result.suggestions.map(({ case: { name } }) => name)).size).toBe(result.suggestions.length);
  const again = (await tested(json, undefined, readCases(file), true)).result;
  expect(countChecks(again).failed).toBe(0);
  const missed = again.mutations.filter(({ noticedBy }) => noticedBy === undefined || noticedBy === 'base');
  expect(missed.map(({ rule, what }) => `${rule}: ${what}`)).toEqual(left);
  if (left.length === 0) expect(mutationScore(again.mutations)).toBe(100);
});
