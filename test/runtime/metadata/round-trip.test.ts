/** Read, export, read is the same meaning, absent keys included: in memory, after a restart, and by `replace_metadata`. */

import { afterEach, describe, expect, test } from 'vitest';
import { CANONICAL } from '../../../runtime/core/vocabulary.ts';
import { exportMetadata, inStoredOrder } from '../../../runtime/metadata/export-metadata.ts';
import {
  emptyMetadata,
  type Json,
  type JsonObject,
  type Metadata,
} from '../../../runtime/metadata/metadata.ts';
import { readMetadata } from '../../../runtime/metadata/read-metadata.ts';
import { openMetadataStore } from '../../../runtime/metadata-api/index.ts';
import { storedChange } from '../../../runtime/metadata-api/store/stored-change.ts';
import { Random } from '../../fuzz/random.ts';
import { startMetadataServer } from '../../harness/metadata-server.ts';
import { createTestDatabase } from '../../harness/postgres.ts';
import { meaning } from './meaning.ts';
import { randomMetadata } from './random-metadata.ts';

const ending: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

function read(document: unknown): Metadata {
  const { value, diagnostics } = readMetadata(document);
  expect(diagnostics).toEqual([]);
  return inStoredOrder(value);
}

/** The part of the metadata that an export shows; the other cron triggers survive a replacement. */
function shown(metadata: Metadata): Metadata {
  const cron_triggers = metadata.cron_triggers.filter((trigger) => trigger.include_in_metadata);
  return { ...metadata, cron_triggers };
}

describe('random metadata', () => {
  test('is the same when its export is read, whether shown or stored', () => {
    for (let seed = 0; seed < 300; seed += 1) {
      const document = randomMetadata(new Random(seed));
      const metadata = read(document);
      const place = `seed ${seed}: ${JSON.stringify(document)}`;
      const stored = JSON.parse(JSON.stringify(exportMetadata(metadata, 'store')));
      expect(meaning(read(stored)), place).toEqual(meaning(metadata));
      const exported = JSON.parse(JSON.stringify(exportMetadata(metadata)));
      expect(meaning(read(exported)), place).toEqual(meaning(shown(metadata)));
      expect(JSON.stringify(exportMetadata(read(stored), 'store')), place).toBe(JSON.stringify(stored));
    }
  });

  test('is the same when it is read from where it is stored', async () => {
    const database = await createTestDatabase();
    const store = await openMetadataStore(database.url, CANONICAL);
    ending.push(store.close);
    let before = emptyMetadata;
    for (let version = 0; version < 40; version += 1) {
      const metadata = read(randomMetadata(new Random(1000 + version)));
      const invalidations = { metadata: true, sources: [], remote_schemas: [] };
      await store.commit(storedChange(before, metadata), version, invalidations);
      const { metadata: stored } = await store.read();
      expect(meaning(read(stored)), `seed ${1000 + version}`).toEqual(meaning(metadata));
      before = metadata;
    }
  });

  test('is the same when it is replaced by its own export, and after a restart', async () => {
    const server = await startMetadataServer('');
    ending.push(server.stop);
    for (let seed = 2000; seed < 2006; seed += 1) {
      const document = reachable(randomMetadata(new Random(seed)), server.database.url);
      const replace = async (metadata: unknown) => {
        const args = { metadata, allow_inconsistent_metadata: true };
        const answer = await server.send({ type: 'replace_metadata', version: 2, args });
        expect(answer, `seed ${seed}`).toMatchObject({ status: 200 });
        return meaning(shown(server.engine.state.metadata));
      };
      const first = await replace(document);
      expect(first, `seed ${seed}`).toEqual(meaning(shown(read(document))));
      const { answer: exported } = await server.send({ type: 'export_metadata', args: {} });
      expect(await replace(exported), `seed ${seed}`).toEqual(first);
      const restarted = await startMetadataServer('', server);
      expect(meaning(restarted.engine.state.metadata), `seed ${seed}`).toEqual(
        meaning(server.engine.state.metadata),
      );
      await restarted.stop();
    }
  });
});

/** The document with its sources at an address that answers; the rest of their configuration stays. */
function reachable(document: Readonly<Record<string, Json>>, url: string): JsonObject {
  const sources = (document.sources as readonly JsonObject[]).map((source) => {
    const { read_replicas: _, ...configuration } = source.configuration as JsonObject;
    const { ssl_configuration: __, ...info } = configuration.connection_info as JsonObject;
    return {
      ...source,
      configuration: { ...configuration, connection_info: { ...info, database_url: url } },
    };
  });
  return { ...document, sources };
}

test('a source that says nothing of prepared statements says nothing after a restart and a replacement', async () => {
  const server = await startMetadataServer('');
  ending.push(server.stop);
  const settings = ({ engine }: typeof server) =>
    engine.state.metadata.sources.map(({ configuration }) => Object.keys(configuration.connection_info));
  const before = settings(server);
  expect(before).toEqual([['database_url', 'isolation_level']]);
  await server.send({ type: 'reload_metadata', args: {} });
  const restarted = await startMetadataServer('', server);
  ending.push(restarted.stop);
  expect(settings(restarted)).toEqual(before);
  const { answer: exported } = await restarted.send({ type: 'export_metadata', args: {} });
  expect(await restarted.send({ type: 'replace_metadata', args: exported })).toMatchObject({ status: 200 });
  expect(settings(restarted)).toEqual(before);
});
