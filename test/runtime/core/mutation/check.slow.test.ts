/** On every version of PostgreSQL: a check is evaluated for each row though nothing reads what it says. */
import { describe, expect, test } from 'vitest';
import type { SourceShape } from '../../../../runtime/core/contract/shapes.ts';
import { failedCheck, PASSED } from '../../../../runtime/core/mutation/check.ts';
import { rowStatement, rowsStatement, type Write } from '../../../../runtime/core/mutation/written.ts';
import type { Table } from '../../../../runtime/core/program/program.ts';
import type { VisibleTable } from '../../../../runtime/core/schema/visible-table.ts';
import { literal, raw, type Sql, sql } from '../../../../runtime/core/sql/fragment.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';

const FAILURE = `concat('check constraint of an insert/update permission has failed', ' [default.public.item.update check]')`;

/** Changes items up to `id`; its check allows the first `allowed`. */
function update(id: number, condition: Sql): Write {
  return {
    statement: sql`update item as t set name = ${literal('new')} where id <= ${raw(String(id))}`,
    alias: raw('t'),
    check: sql`case when (${condition}) is not true then ${raw(FAILURE)} else ${PASSED} end`,
    path: '$',
    visible: PLAIN,
  };
}

const SOURCE: SourceShape = { name: 'default', kind: 'postgres', types: {} };
const SHAPE = {
  source: SOURCE,
  schema: 'public',
  name: 'item',
  kind: 'table',
  graphqlName: 'item',
  columns: {},
} as const;
const TABLE = { source: SOURCE, shape: SHAPE } as unknown as Table;
const PLAIN = { table: TABLE, holes: false } as unknown as VisibleTable;
/** Checks stand behind the write then, not in its RETURNING. */
const DISTRIBUTED = {
  ...PLAIN,
  table: {
    ...TABLE,
    source: {
      ...SOURCE,
      distribution: { tables: { 'public.t': { kind: 'reference' as const } }, fingerprint: '' },
    },
  },
};

describe.each([13, 15, undefined] as const)('PostgreSQL %s', (version) => {
  const database = () =>
    createTestDatabase(
      `create table item (id int primary key, name text); insert into item select n, 'old' from generate_series(1, 3) n`,
      version,
    );
  const shapes = {
    rows: (write: Write) => rowsStatement(write, [raw(`'done'`)]),
    row: (write: Write) => rowStatement(write, [raw(`'done'`)]),
    'rows of shards': (write: Write) => rowsStatement({ ...write, visible: DISTRIBUTED }, [raw(`'done'`)]),
    'row of a shard': (write: Write) => rowStatement({ ...write, visible: DISTRIBUTED }, []),
  };

  test.each(Object.entries(shapes))('%s that do not pass fail the statement', async (_, shape) => {
    const { query } = await database();
    const refusal = await query(shape(update(3, sql`id < 3`)).text).catch((error: Error) => error);
    expect(failedCheck((refusal as Error).message)?.reason.rule).toBe('default.public.item.update');
    expect(await query(`select from item where name = 'new'`)).toHaveLength(0);
    await query(shape(update(2, sql`id < 3`)).text);
    expect(await query(`select from item where name = 'new'`)).toHaveLength(2);
  });

  test.each(Object.entries(shapes))(
    '%s that are not there do not fail it, whatever the check',
    async (_, shape) => {
      const { query } = await database();
      await query(shape(update(0, raw('false'))).text);
      await expect(query(shape(update(1, raw('false'))).text)).rejects.toThrow('has failed');
    },
  );
});
