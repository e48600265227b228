/** Services of the metadata, for the console's pages: entries as the metadata writes them, changes that wait included. */
import { GraphQLError } from 'graphql';
import { graphqlProblem } from '../core/reasons.ts';
import { exportMetadata } from '../metadata/export-metadata.ts';
import { eventTrigger } from '../metadata/kinds/event-trigger.ts';
import type { WorkingCopy } from '../metadata-api/change/working-copy.ts';
import { rolesIn } from './model.ts';
import type { Proposal } from './proposal-questions.ts';
import { remotePart } from './remote-part.ts';
import type { NamedEntry, RemotePartAnswer, ServicesAnswer } from './services-questions.ts';

export function servicesOf({ metadata }: Pick<WorkingCopy, 'metadata'>): ServicesAnswer {
  // Tables are most of the metadata, and the pages need their names only.
  const written = exportMetadata({ ...metadata, sources: [] }, 'store');
  const list = <Entry>(key: string) => (written[key] ?? []) as unknown as readonly Entry[];
  const tables = metadata.sources.flatMap(({ name: source, tables: all }) =>
    all.map((entry) => ({ source, ...entry })),
  );
  return {
    roles: rolesIn(metadata),
    tables: tables.map(({ source, table: { schema, name } }) => ({ source, schema, name })),
    triggers: tables.flatMap(({ source, table: { schema, name }, event_triggers }) =>
      event_triggers.map((trigger) => ({
        source,
        table: { schema, name },
        trigger: eventTrigger.write(trigger) as unknown as NamedEntry,
      })),
    ),
    actions: list('actions'),
    crons: list('cron_triggers'),
    remotes: list('remote_schemas'),
    collections: list('query_collections'),
    allowlist: list('allowlist'),
    endpoints: list('rest_endpoints'),
  };
}

/** Null for an unknown remote schema. @param chosen fields as `Type.field`; those of the role's permission by default */
export function remotePartOf(
  { metadata, remotes }: Pick<WorkingCopy, 'metadata' | 'remotes'>,
  { name, role, chosen }: Pick<Extract<Proposal['show'], { page: 'remote' }>, 'name' | 'role' | 'chosen'>,
): RemotePartAnswer | null {
  const found = metadata.remote_schemas.find((each) => each.name === name);
  if (!found) return null;
  const remote = Object.hasOwn(remotes, name) ? remotes[name] : undefined;
  if (!remote || 'error' in remote) return { problem: remote?.error ?? 'the remote schema was not read yet' };
  const permission = found.permissions.find((each) => each.role === role);
  try {
    return remotePart(remote.sdl, permission?.definition.schema, chosen);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    return { problem: `the permission is not GraphQL: ${graphqlProblem(error)}` };
  }
}
