/** The real projects with event triggers or cron triggers: they compile, are installed on their databases, and fire. */

import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { compile } from '../../compiler/index.ts';
import { readMetadataFile } from '../../compiler/phases/1-read/index.ts';
import type { SourceCatalog } from '../../runtime/catalog/catalog.ts';
import { readCron } from '../../runtime/core/schedule/cron.ts';
import { quoteIdentifier } from '../../runtime/core/sql/fragment.ts';
import { CANONICAL } from '../../runtime/core/vocabulary.ts';
import { readDatabase } from '../../runtime/database/read-database.ts';
import { installEvents } from '../../runtime/events/install.ts';
import { createLoader } from '../../runtime/program/loader.ts';
import { loadProject, projectFile, projectNames, remoteSchemasOf } from '../harness/real-project.ts';

const withEvents = projectNames.flatMap((name) => {
  const { value } = readMetadataFile(projectFile(name, 'metadata.json'));
  const triggers = value.sources.flatMap(({ tables }) => tables.flatMap((table) => table.event_triggers));
  return triggers.length + value.cron_triggers.length > 0
    ? [{ name, metadata: value, triggers: triggers.length, cron: value.cron_triggers.length }]
    : [];
});

describe.skipIf(projectNames.length === 0)('projects beside the checkout', () => {
  test('several have triggers', () => {
    expect(withEvents.length).toBeGreaterThan(1);
  });

  test.each(withEvents)('$name: $triggers event triggers, $cron cron triggers', async (project) => {
    const { name, metadata } = project;
    const urls = await loadProject(name);
    const catalogs: Record<string, SourceCatalog> = {};
    for (const source of metadata.sources) {
      const enumTables = source.tables.filter(({ is_enum }) => is_enum).map(({ table }) => table);
      catalogs[source.name] = await readDatabase({ connectionString: urls.get(source.name)! }, enumTables);
    }
    const naming = { enabled: true, default: 'engine-default' } as const;
    const { files, diagnostics } = compile({ metadata, catalogs, remotes: remoteSchemasOf(name), naming });
    expect(diagnostics.filter(({ message }) => /trigger|not served/i.test(message))).toEqual([]);
    const { events } = await createLoader().load(files);
    expect(events!.cron).toHaveLength(project.cron);
    for (const { schedule } of events!.cron) expect(readCron(schedule)).toEqual({ text: schedule });
    const installed = events!.sources.flatMap(({ triggers }) => triggers);
    expect(installed).toHaveLength(project.triggers);
    for (const source of events!.sources) {
      const client = new pg.Client({ connectionString: urls.get(source.source)! });
      await client.connect();
      try {
        await loosen(
          client,
          source.triggers.map(({ table }) => table),
        );
        const known = new Set(source.triggers.map(({ name: each }) => each));
        // Twice: installing is idempotent.
        for (let round = 0; round < 2; round += 1)
          await installEvents(client as never, source, { known, deleted: [] }, CANONICAL);
        for (const { name: trigger, table } of source.triggers) {
          const written = quoteIdentifier(table.schema, table.name);
          await client.query(`insert into ${written} default values`);
          const own = metadata.sources
            .flatMap(({ tables }) => tables.flatMap(({ event_triggers }) => event_triggers))
            .find((each) => each.name === trigger)!;
          const { insert, update, delete: deletion } = own.definition;
          if (update && update.columns !== '*')
            await client.query(`update ${written} set ${quoteIdentifier(update.columns[0]!)} = '1'`);
          if (deletion) await client.query(`delete from ${written}`);
          const { rows } = await client.query(
            `select distinct payload ->> 'op' as op from engine_catalog.event_log
             where trigger_name = $1 and schema_name = $2 and table_name = $3 order by 1 desc`,
            [trigger, table.schema, table.name],
          );
          const expected = [
            ...(update && update.columns !== '*' ? ['UPDATE'] : []),
            ...(insert ? ['INSERT'] : []),
            ...(deletion ? ['DELETE'] : []),
          ];
          expect(
            rows.map(({ op }) => op),
            trigger,
          ).toEqual(expected);
        }
      } finally {
        await client.end();
      }
    }
  });
});

/** Lets rows of any content be written: what fires is under test, not what the project's own rules say. */
async function loosen(
  client: pg.Client,
  tables: readonly { readonly schema: string; readonly name: string }[],
): Promise<void> {
  for (const { schema, name } of tables) {
    const table = quoteIdentifier(schema, name);
    await client.query(`alter table ${table} disable trigger user`);
    const { rows } = await client.query(
      `select format('alter table %s drop constraint %I cascade', conrelid::regclass, conname) as sql
       from pg_constraint where conrelid = $1::regclass and contype <> 'n'
       union all
       select format('alter table %s alter column %I drop not null', attrelid::regclass, attname)
       from pg_attribute where attrelid = $1::regclass and attnum > 0 and attnotnull and attidentity = ''`,
      [table],
    );
    for (const { sql } of rows) await client.query(sql);
  }
}
