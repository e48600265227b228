import type { Diagnostic } from '../../core/diagnostics/diagnostic.ts';
import { EngineError, pathStep } from '../../core/errors.ts';
import { isObject } from '../../core/json/json.ts';
import { displayName } from '../../core/names.ts';
import { argument, choose, object, withDefault } from '../../metadata/combinators.ts';
import type { Json, JsonObject, Metadata } from '../../metadata/metadata.ts';
import { readMetadata } from '../../metadata/read-metadata.ts';
import { boolean, jsonObject } from '../../metadata/values.ts';
import type { WorkingCopy } from '../change/working-copy.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../request/operation.ts';
import { describeWarning, type Warning, withWarnings } from '../request/warning.ts';
import { eventTriggerNameFault } from './event-triggers.ts';
import { refuseCycles } from './inherited-roles.ts';

interface Arguments {
  readonly metadata: JsonObject;
  readonly allow_inconsistent_metadata: boolean;
  readonly allow_warnings: boolean;
  /** The arguments were the metadata itself. */
  readonly plain?: true;
}

const versionTwo = object({
  metadata: jsonObject,
  allow_inconsistent_metadata: withDefault(boolean, false),
  allow_warnings: withDefault<boolean>(boolean, true),
});

export default operation({
  name: 'replace_metadata',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation:
    'Replaces the whole metadata, by the object that `export_metadata` gives or, in the form of version 2, by ' +
    '`{metadata, allow_inconsistent_metadata, allow_warnings}`. Metadata of versions 1 and 2 replaces the tables and ' +
    'functions of source `default` and removes all other sources.',
  arguments: choose<Arguments>((input) =>
    isObject(input) && 'metadata' in input
      ? versionTwo
      : argument(jsonObject, (metadata) => ({
          metadata,
          allow_inconsistent_metadata: false,
          allow_warnings: true,
          plain: true as const,
        })),
  ),
  hasVersion2: true,
  changesMetadata: true,
  run: async (args, copy) => {
    const { value, diagnostics } = readMetadata(args.metadata, copy.services.options);
    const root = args.plain ? '$' : '$.metadata';
    refuseErrors(diagnostics, root);
    const warnings = [...diagnostics.map((each) => describeWarning(each)), ...triggerNameWarnings(value)];
    if (!args.allow_warnings && warnings.length > 0)
      throw new EngineError('metadata-warnings', 'failed due to metadata warnings', {
        internal: warnings as unknown as Json,
      });
    refuseRepeatedTriggers(value);
    refuseCycles(value.inherited_roles);
    const given = isOldVersion(args.metadata) ? mergeOldVersion(value, copy) : value;
    copy.metadata = { ...given, cron_triggers: withHiddenTriggers(given, copy.metadata) };
    copy.reintrospect(copy.metadata.sources.map(({ name }) => name));
    if (args.allow_inconsistent_metadata) await copy.check();
    else await copy.accept('everything', { inconsistent: [], conflicts: new Map() });
    const answer = args.plain
      ? SUCCESS
      : {
          is_consistent: copy.inconsistent.length === 0,
          inconsistent_objects: copy.inconsistent as unknown as Json,
        };
    return withWarnings(answer, warnings);
  },
});

/** Metadata that is to replace everything has to be readable as a whole. */
function refuseErrors(diagnostics: readonly Diagnostic[], root: string): void {
  const error = diagnostics.find(({ severity }) => severity === 'error');
  if (error === undefined) return;
  const path = error.path.reduce<string>((base, step) => pathStep(base, step), root);
  throw new EngineError('parse-failed', error.message, { path });
}

/** Names that a new event trigger could not have, but that other engines may have stored. */
function triggerNameWarnings(metadata: Metadata): Warning[] {
  return metadata.sources.flatMap((source) =>
    source.tables.flatMap(({ table, event_triggers }) =>
      event_triggers.flatMap(({ name }) => {
        const fault = eventTriggerNameFault(name);
        if (fault === undefined) return [];
        return {
          message: `the event trigger with name "${name}" may not work as expected: ${fault}`,
          code: 'illegal-event-trigger-name',
          type: 'event_trigger',
          name: `event_trigger ${name} in table ${displayName(table.schema, table.name)} in source ${source.name}`,
        };
      }),
    ),
  );
}

function isOldVersion(document: JsonObject): boolean {
  return document.version !== 3;
}

/** Versions 1 and 2 know one source, whose address is not theirs to say, and none of the later kinds of objects. */
function mergeOldVersion(read: Metadata, copy: WorkingCopy): Metadata {
  const before = copy.metadata.sources.find(({ name }) => name === 'default');
  const after = read.sources[0];
  if (before === undefined || after === undefined) {
    throw new EngineError(
      'not-supported',
      'cannot import metadata without sources since no default source is defined',
    );
  }
  return {
    ...read,
    sources: [{ ...before, tables: after.tables, functions: after.functions }],
    rest_endpoints: copy.metadata.rest_endpoints,
  };
}

/** Cron triggers that no export shows survive a replacement. */
function withHiddenTriggers(given: Metadata, before: Metadata): Metadata['cron_triggers'] {
  const hidden = before.cron_triggers.filter((trigger) => !trigger.include_in_metadata);
  const taken = given.cron_triggers.find(({ name }) => hidden.some((trigger) => trigger.name === name));
  if (taken !== undefined) {
    throw new EngineError(
      'already-exists',
      `cron trigger with name "${taken.name}" already exists as a cron trigger with "included_in_metadata" as false`,
    );
  }
  return [...given.cron_triggers, ...hidden];
}

/** Names of event triggers are unique in a source, over all its tables. */
function refuseRepeatedTriggers(metadata: Metadata): void {
  for (const source of metadata.sources) {
    const names = source.tables.flatMap((entry) => entry.event_triggers.map(({ name }) => name));
    const repeated = [...new Set(names.filter((name, index) => names.indexOf(name) < index))];
    if (repeated.length === 0) continue;
    const list = repeated.map((name) => `"${name}"`).join(', ');
    throw new EngineError('not-supported', `Event trigger with duplicate names not allowed: ${list}`);
  }
}
