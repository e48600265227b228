/** The real projects by way of the metadata API: replaced, consistent, exported, imported again to the same bytes, and restarted; its meaning stays. */
import { describe, expect, test } from 'vitest';
import { inStoredOrder } from '../../runtime/metadata/export-metadata.ts';
import { readMetadata } from '../../runtime/metadata/read-metadata.ts';
import { startMetadataServer } from '../harness/metadata-server.ts';
import {
  loadProject,
  projectNames,
  projectsPresent,
  readProjectFile,
  remoteSchemasOf,
} from '../harness/real-project.ts';
import { meaning } from '../runtime/metadata/meaning.ts';

interface ProjectMetadata {
  readonly sources: readonly {
    readonly name: string;
    readonly configuration: { readonly connection_info: object };
  }[];
}

describe.skipIf(!projectsPresent)('real projects', () => {
  test.each(projectNames)(
    '%s',
    async (name) => {
      const urls = await loadProject(name);
      const metadata = JSON.parse(readProjectFile(name, 'metadata.json')) as ProjectMetadata;
      const placed = {
        ...metadata,
        sources: metadata.sources.map((source) => ({
          ...source,
          configuration: {
            ...source.configuration,
            connection_info: {
              ...source.configuration.connection_info,
              database_url: urls.get(source.name)!,
            },
          },
        })),
      };
      const remotes = remoteSchemasOf(name);
      const readRemote = async (remote: { readonly name: string }) => remotes[remote.name]!.sdl;
      const server = await startMetadataServer('', { readRemote });
      try {
        const exported = async () =>
          (await server.send({ type: 'export_metadata', args: {}, version: 2 })).answer as {
            readonly resource_version: number;
            readonly metadata: unknown;
          };
        const replaced = await server.send({
          type: 'replace_metadata',
          version: 2,
          args: { metadata: placed },
        });
        expect(replaced).toMatchObject({
          status: 200,
          answer: { is_consistent: true, inconsistent_objects: [] },
        });
        const first = await exported();
        const said = meaning(server.engine.state.metadata);
        expect(said).toEqual(meaning(inStoredOrder(readMetadata(placed).value)));
        const files = Object.fromEntries(server.engine.state.compilation.files);
        const again = await server.send({ type: 'replace_metadata', args: first.metadata });
        expect(again).toEqual({ status: 200, answer: { message: 'success' } });
        const second = await exported();
        expect(JSON.stringify(second.metadata)).toBe(JSON.stringify(first.metadata));
        expect(second.resource_version).toBe(first.resource_version + 1);
        expect(Object.fromEntries(server.engine.state.compilation.files)).toEqual(files);
        expect(meaning(server.engine.state.metadata)).toEqual(said);
        const restarted = await startMetadataServer('', { ...server, readRemote });
        expect(meaning(restarted.engine.state.metadata)).toEqual(said);
        await restarted.stop();
      } finally {
        await server.stop();
      }
    },
    180_000,
  );
});
