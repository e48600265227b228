/** Pages of the data page's requests: in every order, by either naming convention, each row comes once, in PostgreSQL's order. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TableApi } from '../../runtime/console/data-questions.ts';
import { at, pageRequest, pagingOf, type Row } from '../../runtime/console/page/data/request.ts';
import { parseExactJson } from '../../runtime/core/json/exact-json.ts';
import { jsonText } from '../../runtime/core/json/json-value.ts';
import { send, serve, type TestServer } from '../harness/server.ts';

const ADMIN = { 'x-engine-admin-secret': 'secret of the test of pages' };
const ROWS = 60;

const SCHEMA = `
  create table numbers (part int, id bigint, amount numeric, ratio float8, label text, day date, moment timestamptz,
    flag boolean not null, uid uuid, span interval, primary key (part, id));
  insert into numbers select n % 3, 9007199254740990 + n,
    case when n % 5 = 0 then null else n % 4 + 0.10000000000000000001 end,
    case n % 6 when 0 then null when 1 then 'NaN' when 2 then 'Infinity' else n / 7.0 end,
    case when n % 4 = 0 then null else repeat(chr(97 + n % 3), n % 2) || '''"\\ü' end,
    case when n % 7 = 0 then null else date '2026-01-01' + n % 5 end,
    case when n % 7 = 0 then null else timestamptz '2026-01-01 00:00:00.123456+00' + n % 5 * interval '1 microsecond' end,
    n % 2 = 0, case when n % 9 = 0 then null else ('00000000-0000-0000-0000-00000000000' || n % 8)::uuid end,
    case when n % 8 = 0 then null else n % 3 * interval '1 month 2 days' end
  from generate_series(1, ${ROWS}) n;`;

const COLUMNS = ['part', 'id', 'amount', 'ratio', 'label', 'day', 'moment', 'flag', 'uid', 'span'];

const SOURCES = {
  plain: {},
  camel: {
    naming_convention: 'graphql-default',
    root_fields: { namespace: 'own', prefix: 'my_' },
    type_names: { prefix: 'My' },
  },
};

describe('pages of rows', () => {
  let server: TestServer;

  beforeAll(async () => {
    const permission = { columns: '*', filter: {}, limit: 7 };
    const sources = Object.entries(SOURCES).map(([name, customization]) => ({
      name,
      kind: 'postgres',
      configuration: { connection_info: { database_url: { from_env: 'DATABASE_URL' } } },
      customization,
      tables: [
        {
          table: { schema: 'public', name: 'numbers' },
          select_permissions: [{ role: 'reader', permission }],
        },
      ],
    }));
    server = await serve({
      sql: SCHEMA,
      metadata: { version: 3, sources } as never,
      options: {
        ENABLE_CONSOLE: 'true',
        ADMIN_SECRET: ADMIN['x-engine-admin-secret'],
        EXPERIMENTAL_FEATURES: 'naming_convention',
      },
    });
  }, 60_000);
  afterAll(async () => {
    await server?.stop();
  });

  const ask = async (body: object) =>
    (await send(server, '/engine/console/table', { headers: ADMIN, body })).json as TableApi;

  async function pages(source: string, order?: { column: string; descending: boolean }) {
    const user = { 'x-engine-role': 'reader' };
    const api = await ask({ source, name: 'public.numbers', user });
    const asked = { lines: [], text: '', ...(order && { order }) };
    expect(pagingOf(api, asked)).toMatchObject({ by: 'key', size: 7 });
    const rows: Row[] = [];
    for (;;) {
      const last = rows.at(-1);
      const request = pageRequest(api, asked, last && { row: last, count: rows.length });
      const body = jsonText(request);
      const { text } = await send(server, '/v1/graphql', { headers: { ...ADMIN, ...user }, body });
      const { data, errors } = parseExactJson(text) as { data: unknown; errors?: object };
      expect(errors).toBeUndefined();
      const page = at(data, api.select!.path) as readonly Row[];
      rows.push(...page);
      if (page.length < 7) return rows.map((row) => row.id?.toString());
    }
  }

  const ORDERS = COLUMNS.flatMap((column) => [false, true].map((descending) => ({ column, descending })));

  test.each(
    Object.keys(SOURCES).flatMap((source) => [undefined, ...ORDERS].map((order) => [source, order] as const)),
  )('%s, %o', async (source, order) => {
    const direction = order?.descending ? 'desc' : 'asc';
    const by = [...(order ? [order.column] : []), 'part', 'id'].map((name) => `n.${name} ${direction}`);
    const expected = await server.database.query(`select id::text from numbers n order by ${by.join(', ')}`);
    expect(await pages(source, order)).toEqual(expected.map(({ id }) => id));
  });

  test.each([
    [null, '$: expected an object'],
    [{ source: 1, name: 'public.numbers', user: {} }, 'expected String'],
    [{ source: 'plain', name: 'public.numbers', user: [] }, 'expected an object of strings'],
    [{ source: 'plain', name: 'public.numbers', user: { 'x-engine-role': 1 } }, 'expected String'],
    [{ source: 'plain', name: 'public.others', user: {} }, 'no table "public.others" of the source "plain"'],
    [
      { source: 'other', name: 'public.numbers', user: {} },
      'no table "public.numbers" of the source "other"',
    ],
  ])('a body that is none: %j', async (body, message) => {
    expect(JSON.stringify(await ask(body as never))).toContain(
      JSON.stringify(message).slice(1, -1).replace(/^\$: /, ''),
    );
  });

  test('a role without permission sees nothing, and an administrator all', async () => {
    const nobody = await ask({
      source: 'plain',
      name: 'public.numbers',
      user: { 'x-engine-role': 'nobody' },
    });
    expect(nobody).toMatchObject({ columns: [], relationships: [] });
    for (const part of ['select', 'insert', 'update', 'delete']) expect(nobody).not.toHaveProperty(part);
    const admin = await ask({ source: 'camel', name: 'public.numbers', user: {} });
    expect(admin.columns.map(({ field }) => field)).toEqual(COLUMNS);
    expect(admin).toMatchObject({
      kind: 'table',
      key: ['part', 'id'],
      words: { order_by: 'orderBy', affected_rows: 'affectedRows', asc: 'ASC' },
      select: { path: ['own', 'my_Numbers'] },
    });
    for (const part of ['insert', 'update', 'delete']) expect(admin).toHaveProperty(part);
  });
});
