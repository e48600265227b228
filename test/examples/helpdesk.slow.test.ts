import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readMetadataFile } from '../../compiler/phases/1-read/index.ts';
import { createTestDatabase } from '../harness/postgres.ts';

const example = fileURLToPath(new URL('../../examples/helpdesk/', import.meta.url));
const sql = ['schema.sql', 'seed.sql'].map((file) => readFileSync(`${example}${file}`, 'utf8')).join('\n');

describe('the help desk example', () => {
  it.each([undefined, 13, 15] as const)('has the same rows on every PostgreSQL (%s)', async (version) => {
    const database = await createTestDatabase(sql, version);
    const [counts] = await database.query(`
      select
        (select count(*)::int from ticket) as tickets,
        (select count(*)::int from message) as messages,
        (select count(*)::int from message where is_internal) as notes,
        (select sum(score)::int from rating) as scores,
        (select md5(string_agg(concat_ws('|', subject, status, assignee_id, created_at at time zone 'UTC'), ',' order by id))
         from ticket) as hash
    `);
    expect(counts).toMatchInlineSnapshot(`
      {
        "hash": "a9b6f36d7c83404342c2591780838b53",
        "messages": 361,
        "notes": 44,
        "scores": 267,
        "tickets": 180,
      }
    `);
  });

  it('gives every customer who writes only tickets of the own tenant', async () => {
    const database = await createTestDatabase(sql);
    const strangers = await database.query(`
      select from ticket
      join customer on customer.id = customer_id
      left join agent on agent.id = assignee_id
      where customer.tenant_id <> ticket.tenant_id or agent.tenant_id <> ticket.tenant_id
    `);
    expect(strangers).toEqual([]);
  });

  it('has metadata without a complaint, for every table and view of the schema', async () => {
    const { value, diagnostics } = await readMetadataFile(`${example}metadata`);
    expect(diagnostics).toEqual([]);
    const tracked = value?.sources[0]?.tables.map((entry) => entry.table.name);
    const database = await createTestDatabase(sql);
    const relations = await database.query<{ name: string }>(
      "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v')",
    );
    expect(tracked?.toSorted()).toEqual(relations.map(({ name }) => name).toSorted());
  });
});
