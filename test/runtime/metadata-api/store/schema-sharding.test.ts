/** The metadata database where Citus makes a distributed schema of each new one, and takes no several commands in one statement there. */

import { expect, test } from 'vitest';
import { CANONICAL } from '../../../../runtime/core/vocabulary.ts';
import { openMetadataStore } from '../../../../runtime/metadata-api/index.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';

/** A stand-in: what is made while the setting is on is refused as the cluster does. */
const SHARDING = `
  create function refuse() returns event_trigger language plpgsql as $$ begin
    if current_setting('citus.enable_schema_based_sharding', true) = 'on' then
      raise exception 'cannot insert multiple commands into a prepared statement' using errcode = '42601';
    end if;
  end $$;
  create event trigger sharding on ddl_command_end when tag in ('CREATE SCHEMA') execute function refuse();
  do $$ begin
    execute format('alter database %I set citus.enable_schema_based_sharding = on', current_database());
  end $$;`;

test('the schema of the metadata is a plain one', async () => {
  const database = await createTestDatabase(SHARDING);
  await expect(
    database.query('set citus.enable_schema_based_sharding = on; create schema other'),
  ).rejects.toThrow('multiple commands');
  for (const _ of ['first', 'second']) {
    const store = await openMetadataStore(database.url, CANONICAL);
    expect(await store.readVersion()).toBeGreaterThanOrEqual(0);
    await store.close();
  }
});
