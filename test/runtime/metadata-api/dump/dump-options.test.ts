import { expect, test } from 'vitest';
import { cleanDump, refusedOption } from '../../../../runtime/metadata-api/dump/dump-options.ts';

test('options say what is dumped, never where it comes from or goes to', () => {
  const allowed = [
    ['-O', '-x', '--schema-only', '--schema', 'public'],
    ['-Ox', '-nfood', '-t', '-f'],
    ['--format=plain', '--exclude-table=secret'],
  ];
  for (const options of allowed) expect(refusedOption(options)).toBeUndefined();
  const refused = [
    '-f',
    '-Of/tmp/x',
    '--file=/tmp/x',
    '--fil',
    '--filter=x',
    '-dother',
    '--dbname=other',
    '--host',
    '-U',
    '-W',
  ];
  for (const option of refused) expect(refusedOption(['-O', option])).toBe(option);
});

test('a clean dump keeps data, texts and bodies of functions as they are', () => {
  const body = ['begin', '-- kept', 'SET x = 1;', '', 'end'];
  const dump = [
    '--',
    '-- Name: f; Type: FUNCTION',
    '--',
    '',
    "SET client_encoding = 'UTF8';",
    "SELECT pg_catalog.set_config('search_path', '', false);",
    'CREATE SCHEMA public;',
    'CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $_$',
    ...body,
    '$_$;',
    "COMMENT ON FUNCTION f() IS 'it''s",
    '-- a text',
    "';",
    'COPY public.a (id) FROM stdin;',
    '-- data',
    '',
    '\\.',
    '',
  ].join('\n');
  expect(cleanDump(dump)).toBe(
    [
      'CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $_$',
      ...body,
      '$_$;',
      "COMMENT ON FUNCTION f() IS 'it''s",
      '-- a text',
      "';",
      'COPY public.a (id) FROM stdin;',
      '-- data',
      '',
      '\\.',
      '',
    ].join('\n'),
  );
});
