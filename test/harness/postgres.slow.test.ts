import { describe, expect, it } from 'vitest';
import { createTestDatabase } from './postgres.ts';

const sql = `
  create table item (id int primary key, name text not null);
  insert into item values (1, 'Überraschung');
`;

describe('createTestDatabase', () => {
  it('gives every caller a database of its own', async () => {
    const [one, two] = await Promise.all([createTestDatabase(sql), createTestDatabase(sql)]);
    await one.query('delete from item');
    expect(await one.query('select * from item')).toEqual([]);
    expect(await two.query('select * from item where id = $1', [1])).toEqual([
      { id: 1, name: 'Überraschung' },
    ]);
  });

  it('reports broken SQL, the second time too', async () => {
    await expect(createTestDatabase('select nonsense')).rejects.toThrow('column "nonsense" does not exist');
    await expect(createTestDatabase('select nonsense')).rejects.toThrow('column "nonsense" does not exist');
  });

  it('drops a database that is in use', async () => {
    const database = await createTestDatabase();
    const other = await createTestDatabase();
    await database.query('select 1');
    await database.drop();
    expect(await other.query('select from pg_database where datname = $1', [database.name])).toEqual([]);
  });

  it.each([13, 15] as const)('reaches version %i', async (version) => {
    const database = await createTestDatabase(sql, version);
    const [row] = await database.query(
      "select current_setting('server_version_num')::int / 10000 as version",
    );
    expect(row).toEqual({ version });
  });
});
