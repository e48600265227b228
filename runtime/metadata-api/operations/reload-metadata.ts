import { EngineError } from '../../core/errors.ts';
import { choose, object, requiredList, withDefault } from '../../metadata/combinators.ts';
import type { Json } from '../../metadata/metadata.ts';
import { boolean, name } from '../../metadata/values.ts';
import { METADATA_AND_LEGACY, operation } from '../request/operation.ts';

/** All (true), none (false), or those of a list of names. */
type Selection = boolean | readonly string[];

const selection = choose<Selection>((input) => (Array.isArray(input) ? requiredList(name) : boolean));

export default operation({
  name: 'reload_metadata',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation:
    'Reads the catalogs and enum values of the databases again: for use when a database was changed without `run_sql`.',
  arguments: object({
    reload_remote_schemas: withDefault<Selection>(selection, false),
    reload_sources: withDefault<Selection>(selection, true),
    recreate_event_triggers: withDefault<Selection>(selection, false),
  }),
  changesMetadata: true,
  run: async (args, copy) => {
    const sources = copy.metadata.sources.map(({ name }) => name);
    const remoteSchemas = copy.metadata.remote_schemas.map(({ name }) => name);
    const chosen = select(args.reload_sources, sources, 'Source');
    select(args.recreate_event_triggers, sources, 'Source');
    copy.rereadRemotes(select(args.reload_remote_schemas, remoteSchemas, 'Remote schema'));
    copy.reintrospect(chosen);
    await copy.check();
    const consistent = copy.inconsistent.length === 0;
    return {
      message: 'success',
      is_consistent: consistent,
      ...(!consistent && { inconsistent_objects: copy.inconsistent as unknown as Json }),
    };
  },
});

function select(selected: Selection, all: readonly string[], kind: string): readonly string[] {
  if (typeof selected === 'boolean') return selected ? all : [];
  const unknown = selected.find((name) => !all.includes(name));
  if (unknown !== undefined) {
    throw new EngineError('not-exists', `${kind} with name "${unknown}" not found in metadata`);
  }
  return selected;
}
