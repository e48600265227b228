import pg from 'pg';
import { expect, test } from 'vitest';
import { literalMisfit } from '../../../../compiler/phases/3-resolve/literal.ts';
import type { SourceShape } from '../../../../runtime/core/contract/shapes.ts';
import { columnType } from '../../../../runtime/core/types.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';

const source = {
  types: {
    'public.mood': { kind: 'enum', values: ['good', 'so so', 'Bad'] },
    'public.temper': { kind: 'domain', base: 'public.mood' },
    'public.small': { kind: 'domain', base: 'int2' },
  },
} as unknown as SourceShape;

const TEXTS = [
  ...[
    '',
    ' ',
    '0',
    '1',
    '-1',
    '+1',
    '--1',
    ' 12 ',
    '1 2',
    '0012',
    '1.0',
    '1e3',
    '.5',
    '5.',
    '.',
    'e3',
    '1e',
    '1e+2',
    '1,5',
  ],
  ...[
    '0x1F',
    '0X1f',
    '0xg',
    '0o17',
    '0o8',
    '0b101',
    '0b2',
    '1_000',
    '_1',
    '1__0',
    '١',
    'one',
    'NaN',
    '-inf',
    'Infinity',
    'infinit',
  ],
  ...[
    't',
    'TRUE',
    'tru',
    'truer',
    'y',
    'yes',
    'yep',
    'n',
    'no',
    'not',
    'on',
    'o',
    'of',
    'off',
    'offf',
    'f',
    'fals',
    ' true\n',
  ],
  ...['good', 'Good', 'so so', 'so', 'Bad', ' good'],
  ...[
    '6f2b1f6e-0000-4000-8000-000000000000',
    '6F2B1F6E000040008000000000000000',
    '{6f2b1f6e-0000-4000-8000-000000000000}',
  ],
  ...[
    '6f2b-1f6e-0000-4000-8000-0000-0000-0000',
    '6f2b1f6e-0000-4000-8000-00000000000',
    '6f2-b1f6e-0000-4000-8000-000000000000',
  ],
];
const TYPES = [
  'int2',
  'int4',
  'int8',
  'float4',
  'float8',
  'numeric',
  'bool',
  'uuid',
  'public.mood',
  'public.temper',
  'public.small',
];

test('a literal is refused only where PostgreSQL refuses it, and where it always does', async () => {
  const { url, drop } = await createTestDatabase(
    `create type mood as enum ('good', 'so so', 'Bad'); create domain temper as mood; create domain small as int2`,
  );
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const wrong: string[] = [];
  const missed: string[] = [];
  try {
    for (const key of TYPES)
      for (const text of TEXTS)
        for (const isArray of [false, true]) {
          const type = columnType(source, isArray ? `${key}[]` : key);
          const reads = await client.query(`select $1::${key} is null`, [text]).then(
            () => true,
            () => false,
          );
          const isRefused = literalMisfit(type, isArray ? [text] : text) !== undefined;
          const name = `${type.key} ${JSON.stringify(text)}`;
          if (isRefused && reads) wrong.push(name);
          if (!isRefused && !reads) missed.push(name);
        }
  } finally {
    await client.end();
    await drop();
  }
  expect(wrong).toEqual([]);
  // Notations that a version reads and another does not.
  expect(missed.filter((name) => !/0x|0o|0b|_/i.test(name))).toEqual([]);
});

test('the text of a whole array, and types whose notation is not known, are left to PostgreSQL', () => {
  expect(literalMisfit(columnType(source, 'public.mood[]'), '{good,other}')).toBeUndefined();
  expect(literalMisfit(columnType(source, 'date'), 'never')).toBeUndefined();
  expect(literalMisfit(columnType(source, 'public.mood'), 'other')).toBe(
    'expected one of the values "good", "so so", "Bad" of the enum type "mood", but found "other"',
  );
});
