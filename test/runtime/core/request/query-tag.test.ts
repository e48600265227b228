/** No name ends the comment that it is put in, whatever the format. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { QueryTagFormat } from '../../../../runtime/core/contract/shapes.ts';
import { tagFormatOf } from '../../../../runtime/core/request/query-tag.ts';
import { type InProcess, serveInProcess } from '../../../harness/in-process.ts';
import { defaultSource } from '../../../harness/metadata.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';

const NAMES = [
  '*/ select pg_sleep(9) /*',
  '*/',
  '/*',
  '*\u2215',
  '*/*',
  '/**/',
  "' or ''='",
  "'; drop table note; --",
  '--',
  '-- \n select 1',
  'a\nb',
  'a\r\nb',
  'a\u2028b',
  'a\u0085b',
  '\u0000'.replace('\u0000', '\u0001'),
  '"quoted"',
  '$1 $$ $tag$',
  'E\\\\n \\x2a\\x2f',
  '%2a%2f',
  '＊／',
  '\ud800 lone',
  'r'.repeat(5000),
  'rôle 😀',
  'a,b=c',
];
const FORMATS: readonly QueryTagFormat[] = ['standard', 'standard_prepended', 'sqlcommenter'];
const QUERY = { query: 'query Notes { note { body } others: note_aggregate { aggregate { count } } }' };

const served = new Map<QueryTagFormat | 'off', InProcess>();

beforeAll(async () => {
  const database = await createTestDatabase("create table note (body text); insert into note values ('a')");
  for (const format of [...FORMATS, 'off'] as const) {
    const select_permissions = NAMES.map((role) => ({
      role,
      permission: { columns: '*', filter: {}, allow_aggregations: true },
    }));
    const query_tags = format === 'off' ? { disabled: true, format: 'standard' } : { format };
    const source = defaultSource(
      { tables: [{ table: 'note', select_permissions }], query_tags },
      database.url,
    );
    const options = { queryTags: format === 'off' };
    served.set(
      format,
      await serveInProcess(database.url, { version: 3, sources: [source] } as never, undefined, options),
    );
  }
});
afterAll(() => Promise.all([...served.values()].map((each) => each.end())));

test.each(FORMATS.flatMap((format) => NAMES.map((name) => ({ format, name }))))(
  '$format: $name',
  async ({ format, name }) => {
    const plain = served.get('off')!.sql(QUERY, name);
    const sql = served.get(format)!.sql(QUERY, name);
    const comment =
      format === 'standard_prepended' ? sql.slice(0, -plain.length - 1) : sql.slice(plain.length + 1);
    expect(sql).toBe(format === 'standard_prepended' ? `${comment} ${plain}` : `${plain} ${comment}`);
    expect(comment).toMatch(/^\/\* [\w!'()*.,=%~ -]+ \*\/$/);
    expect(comment.slice(2, -2)).not.toContain('/');
    expect(comment).toContain(
      format === 'sqlcommenter'
        ? "field_name='note%2Cnote_aggregate',operation_name='Notes',role='"
        : 'field_name=note%2Cnote_aggregate, operation_name=Notes, role=',
    );
    const answer = await served.get(format)!.answer(QUERY, name);
    expect(answer).toBe('{"data":{"note":[{"body":"a"}],"others":{"aggregate":{"count":1}}}}');
  },
);

test.each([
  [undefined, undefined, undefined],
  [undefined, true, 'sqlcommenter'],
  ['off', true, undefined],
  ['standard', undefined, 'standard'],
  ['standard', true, 'standard'],
] as const)('a source with %s, the option %s: %s', (queryTags, isOption, expected) => {
  expect(tagFormatOf(queryTags ? { queryTags } : {}, isOption)).toBe(expected);
});
