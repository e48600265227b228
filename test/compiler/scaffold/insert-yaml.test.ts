import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { insertIntoLists } from '../../../compiler/scaffold/role/insert-yaml.ts';

const ENTRY = {
  role: 'user',
  permission: { filter: { id: { _eq: 'X-Engine-User-Id' } }, columns: ['id', 'no'] },
};
const START = { line: 1, column: 1 };
const LISTS = { select_permissions: [ENTRY], delete_permissions: [ENTRY] };

/** Files of a table, in many styles: the place of its mapping, if that is not the file's beginning. */
const TEXTS: [what: string, text: string, place?: { line: number; column: number }][] = [
  ['a plain file', 'table: a\nconfiguration:\n  custom_name: b\n'],
  ['no line end at the end', 'table: a\nconfiguration:\n  custom_name: b'],
  ['a comment at the end', 'table: a # which\n# the end\n'],
  ['comments and empty lines', '# head\ntable: a\n\n# about\nis_enum: true   # so\n\n\n'],
  [
    'a list that is there',
    'table: a\nselect_permissions:\n  - role: other # mine\n    permission: { columns: "*" }\n',
  ],
  [
    'a list without indentation',
    'table: a\nselect_permissions:\n- role: other\n  permission:\n    columns: "*"\nis_enum: false\n',
  ],
  ['a list in brackets', 'table: a\nselect_permissions: [{ role: other, permission: {} }]\nis_enum: false\n'],
  ['a list in brackets over lines', 'table: a\nselect_permissions: [\n  { role: other },\n]\n'],
  ['an empty list', 'table: a\nselect_permissions: []\nis_enum: false\n'],
  ['nothing for the list', 'table: a\nselect_permissions:\nis_enum: false\n'],
  ['null for the list', 'table: a\nselect_permissions: null # none\nis_enum: false\n'],
  ['both lists last', 'table: a\ndelete_permissions: []\nselect_permissions:\n  - role: other\n'],
  ['a mapping in brackets', '{ table: a, is_enum: false }\n'],
  ['JSON', '{\n  "table": "a",\n  "select_permissions": []\n}\n'],
  ['JSON in one line', '{"table":"a","select_permissions":[{"role":"other"}]}'],
  ['a text over lines at the end', 'table: a\ncomment: |\n  one\n  two\n'],
  ['a folded text', 'table: a\ncomment: >-\n  one\n  two\n\nis_enum: true\n'],
  ['digits', 'table: a\nbig: 12345678901234567890123\nsmall: 1.10\n'],
  ['Windows line ends', 'table: a\r\nis_enum: true\r\n'],
  ['a document marker', '---\ntable: a\n', { line: 2, column: 1 }],
  ['an entry of a list of tables', '- table: a\n  is_enum: true\n- table: b\n', { line: 1, column: 3 }],
  ['the last entry of a list', '- table: a\n- # odd\n  table: b\n  is_enum: true\n', { line: 3, column: 3 }],
  ['an entry in brackets', '- { table: a }\n- table: b\n', { line: 1, column: 3 }],
  [
    'an entry deep inside',
    'tables:\n    - table: a\n      select_permissions:\n          - role: other\n    - table: b\n',
    { line: 2, column: 7 },
  ],
];

describe('entries are put into', () => {
  test.each(TEXTS.map(([what, text, place = START]) => ({ what, text, place })))(
    '$what',
    ({ text, place }) => {
      const changed = insertIntoLists(text, [{ place, lists: LISTS }]);
      // Every line that was there is there, in order, but for one that held an empty or a bracketed list.
      const left = text.split(/\r?\n/).filter((line) => !changed.includes(line));
      expect(left.filter((line) => !/[[\]{}]|null|_permissions:$/.test(line))).toEqual([]);
      const [before, after] = [text, changed].map((each) => mappingsIn(parse(each)));
      const index = before!.findIndex((map) => map.table === 'a');
      const target = place.line === 3 ? 1 : index;
      for (const [position, map] of after!.entries()) {
        if (position !== target) expect(map).toEqual(before![position]);
        else
          expect(map).toEqual({
            ...before![position],
            select_permissions: [...((before![position]!.select_permissions as unknown[]) ?? []), ENTRY],
            delete_permissions: [...((before![position]!.delete_permissions as unknown[]) ?? []), ENTRY],
          });
      }
      expect(() => insertIntoLists(changed, [{ place, lists: LISTS }])).not.toThrow();
    },
  );
});

test('two tables of one file each get theirs', () => {
  const text = '- table: a\n  # first\n- table: b\n  # second\n';
  const changed = insertIntoLists(text, [
    { place: { line: 1, column: 3 }, lists: { select_permissions: [1] } },
    { place: { line: 3, column: 3 }, lists: { select_permissions: [2] } },
  ]);
  expect(parse(changed)).toEqual([
    { table: 'a', select_permissions: [1] },
    { table: 'b', select_permissions: [2] },
  ]);
});

function mappingsIn(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value as Record<string, unknown>[];
  const map = value as Record<string, unknown>;
  return Array.isArray(map.tables) ? (map.tables as Record<string, unknown>[]) : [map];
}
