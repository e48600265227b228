/** Real projects with remote relationships: their metadata is served without a notice, and joined. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compile } from '../../compiler/index.ts';
import type { SourceCatalog } from '../../runtime/catalog/catalog.ts';
import { readDatabase } from '../../runtime/database/read-database.ts';
import { readMetadata } from '../../runtime/metadata/read-metadata.ts';
import { loadProject, projectFile, projectsPresent, remoteSchemasOf } from '../harness/real-project.ts';
import { startRemoteServer } from '../harness/remote-server.ts';
import { send, serve } from '../harness/server.ts';

interface Raw {
  readonly sources: readonly { readonly name: string; readonly configuration: { connection_info: object } }[];
}

describe.skipIf(!projectsPresent)('real projects', () => {
  test.each(['simpipe', 'intuition'])(
    '%s',
    async (name) => {
      const urls = await loadProject(name);
      const raw = JSON.parse(readFileSync(projectFile(name, 'metadata.json'), 'utf8')) as Raw;
      const placed = {
        ...raw,
        sources: raw.sources.map((source) => {
          const info = { ...source.configuration.connection_info, database_url: urls.get(source.name)! };
          return { ...source, configuration: { ...source.configuration, connection_info: info } };
        }),
      };
      const { value: metadata, diagnostics: read } = readMetadata(placed);
      const catalogs: Record<string, SourceCatalog> = {};
      for (const source of metadata.sources) {
        const enumTables = source.tables.filter(({ is_enum }) => is_enum).map(({ table }) => table);
        catalogs[source.name] = await readDatabase({ connectionString: urls.get(source.name)! }, enumTables);
      }
      const remotes = remoteSchemasOf(name);
      const naming = { enabled: true, default: 'engine-default' } as const;
      const { diagnostics } = compile({ metadata, catalogs, remotes, naming });
      expect([...read, ...diagnostics].map(({ message }) => message)).toEqual([]);

      const controller = await startRemoteServer(remotes.controller?.sdl ?? 'type Query { ping: String! }', {
        ping: 'pong',
      });
      const server = await serve({
        options: { ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true', EXPERIMENTAL_FEATURES: 'naming_convention' },
        variables: { CONTROLLER_URL: controller.url, PINATA_AUTH: 'x' },
      });
      try {
        const answer = await send(server, '/v1/metadata', {
          body: { type: 'replace_metadata', version: 2, args: { metadata: placed } },
        });
        expect(answer.json).toEqual({ is_consistent: true, inconsistent_objects: [] });
        const query = name === 'simpipe' ? '{ ping }' : '{ __typename }';
        expect((await send(server, '/v1/graphql', { body: { query } })).json).toEqual({
          data: name === 'simpipe' ? { ping: 'pong' } : { __typename: 'query_root' },
        });
      } finally {
        await server.stop();
        await controller.stop();
      }
    },
    180_000,
  );
});
