/** Remote schemas: who uses them, and what their servers have beside what is served. */

import { shownText } from '../core/environment-template.ts';
import type { RemoteOrError } from '../core/remotes/shapes.ts';
import type { Metadata } from '../metadata/metadata.ts';
import type { MetadataEngine } from '../metadata-api/change/engine.ts';
import type { RemoteComparison } from '../metadata-api/change/remote-refresh.ts';
import type { SourceDatabase } from '../metadata-api/change/state.ts';
import { lineDifference } from './line-difference.ts';
import type { RemoteAnswer, RemotesAnswer } from './operator-questions.ts';

/** Maximum number of lines of a difference that an answer has. */
const MAX_LINES = 1000;

/** @param isOpen roles need no permissions */
export function remotesOf(metadata: Metadata, isOpen: boolean): RemotesAnswer {
  return {
    remotes: metadata.remote_schemas.map(({ name, definition: { url }, permissions }) => ({
      name,
      address: shownText(url),
      isOpen,
      roles: permissions.map(({ role }) => role),
      relationships: relationshipsTo(name, metadata),
    })),
  };
}

function relationshipsTo(name: string, { sources, remote_schemas }: Metadata): readonly string[] {
  const leadsThere = ({ definition }: { readonly definition: RelationshipDefinition }) =>
    definition.kind === 'to_remote_schema' && definition.remote_schema === name;
  return [
    ...sources.flatMap(({ tables }) =>
      tables.flatMap(({ table, remote_relationships }) =>
        remote_relationships.filter(leadsThere).map((each) => `${table.schema}.${table.name}.${each.name}`),
      ),
    ),
    ...remote_schemas.flatMap((remote) =>
      remote.remote_relationships.flatMap(({ type_name, relationships }) =>
        relationships.filter(leadsThere).map((each) => `${remote.name}.${type_name}.${each.name}`),
      ),
    ),
  ];
}

type RelationshipDefinition =
  Metadata['sources'][number]['tables'][number]['remote_relationships'][number]['definition'];

/** Asks the server of a remote schema; undefined for an unknown one. */
export async function remoteOf(
  name: string,
  engine: Pick<MetadataEngine<SourceDatabase>, 'compareRemote'>,
): Promise<RemoteAnswer | undefined> {
  const compared = await engine.compareRemote(name);
  return compared && { name, ...describe(compared) };
}

function describe({ isLocked, served, found, refresh }: RemoteComparison): Omit<RemoteAnswer, 'name'> {
  const unreachable = 'error' in found ? found.error : found.stale;
  const before = sdlOf(served);
  const differs = unreachable === undefined && before !== undefined;
  const lines = differs ? lineDifference(before, sdlOf(found)!).split('\n') : [];
  return {
    isLocked,
    ...(served && 'error' in served && { problem: served.error }),
    ...(unreachable !== undefined && { unreachable }),
    ...(refresh && { verdict: refresh.verdict }),
    broken: refresh?.broken ?? [],
    difference: lines.slice(0, MAX_LINES).join('\n'),
    isCut: lines.length > MAX_LINES,
  };
}

function sdlOf(remote: RemoteOrError | undefined): string | undefined {
  return remote && 'sdl' in remote ? remote.sdl : undefined;
}
