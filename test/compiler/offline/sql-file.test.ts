import { expect, test } from 'vitest';
import { lineAndColumn, offsetOfPosition, splitFile } from '../../../compiler/offline/sql-file.ts';

const pieces = (sql: string) =>
  splitFile(sql).map((piece) => ({
    ...piece,
    at: Object.values(lineAndColumn(sql, piece.offset)).join(':'),
  }));

test('statements know where they begin, behind blanks and comments', () => {
  const sql = "\uFEFF-- first\n\ncreate table a (b text default ';');;\n  /* x; */ select $$;$$ ; \n";
  expect(pieces(sql)).toMatchObject([
    { kind: 'statement', text: "create table a (b text default ';')", at: '3:1' },
    { kind: 'statement', text: 'select $$;$$ ', at: '4:12' },
  ]);
  expect(splitFile(' -- nothing\n')).toEqual([]);
});

test('the rows of a dump are not SQL', () => {
  const sql =
    'COPY public.a (b) FROM stdin;\nit\'s;\t\\N\n"\n\\.\n\nselect 1;\nCOPY c FROM STDIN WITH (FORMAT csv);\n\\.\n';
  expect(pieces(sql)).toMatchObject([
    { kind: 'copy', text: 'COPY public.a (b) FROM stdin', data: 'it\'s;\t\\N\n"\n' },
    { kind: 'statement', text: 'select 1', at: '6:1' },
    { kind: 'copy', data: '' },
  ]);
});

test('commands of psql are told apart; those of dumps that change nothing are left out', () => {
  expect(pieces('\\restrict abc\nselect 1;\n\\ir other.sql\nselect 2;\n\\unrestrict abc\n')).toMatchObject([
    { kind: 'statement', text: 'select 1' },
    { kind: 'psql', text: '\\ir other.sql', at: '3:1' },
    { kind: 'statement', text: 'select 2' },
  ]);
});

test('positions of Postgres count characters, ours UTF-16 units', () => {
  expect(offsetOfPosition("'😀' x", 5)).toBe("'😀' ".length);
  expect(offsetOfPosition('ab', 9)).toBe(2);
});
