/** Operations on events for operators: delete old ones, deliver many again, pause and resume. */
import { EngineError } from '../../core/errors.ts';
import { type Deletion, deleteOldEvents, type WithClient } from '../../events/cleanup.ts';
import { choose, list, object, optional, withDefault } from '../../metadata/combinators.ts';
import { hours, statementSeconds } from '../../metadata/kinds/event-trigger.ts';
import type { EventTrigger, Source } from '../../metadata/metadata.ts';
import { boolean, integerFrom, name, naturalNumber, numberFrom, oneOf } from '../../metadata/values.ts';
import { withSource } from '../change/edit.ts';
import type { WorkingCopy } from '../change/working-copy.ts';
import { sourceArgument } from '../request/arguments.ts';
import { METADATA, type MetadataOperation, operation, SUCCESS } from '../request/operation.ts';
import { findTrigger, hasEventTables, rowsOf, STATUS_CONDITIONS } from './event-logs.ts';
import { time } from './scheduled-events.ts';

/** Triggers of all sources, of some, or some of some. */
type Selection =
  | { readonly sources: '*' | readonly string[] }
  | readonly { readonly source_name: string; readonly event_triggers: readonly string[] }[];

const wholeSources = object({
  sources: choose<'*' | readonly string[]>((input) => (input === '*' ? oneOf('*') : list(name))),
});
const someTriggers = list(object({ source_name: name, event_triggers: list(name) }));
const selection = choose<Selection>((input) => (Array.isArray(input) ? someTriggers : wholeSources));

function setCleanups(paused: boolean): MetadataOperation {
  return operation({
    name: `${paused ? 'pause' : 'resume'}_event_trigger_cleanups`,
    spelling: 'either',
    endpoints: METADATA,
    documentation: paused
      ? 'Stops the clean-ups of event triggers until they are resumed.'
      : 'Carries the clean-ups of event triggers out again.',
    arguments: object({ event_triggers: selection }),
    policy: 'others',
    changesMetadata: true,
    run: ({ event_triggers }, copy) => {
      for (const [source, names] of selected(event_triggers, copy)) {
        copy.metadata = withSource(copy.metadata, source, (owner) => ({
          ...owner,
          tables: owner.tables.map((entry) => ({
            ...entry,
            event_triggers: entry.event_triggers.map((trigger) =>
              trigger.cleanup_config && names.has(trigger.name)
                ? { ...trigger, cleanup_config: { ...trigger.cleanup_config, paused } }
                : trigger,
            ),
          })),
        }));
      }
      return SUCCESS;
    },
  });
}

/** Names of the selected triggers that have a clean-up, by source. @throws EngineError for names that do not fit */
function selected(given: Selection, copy: WorkingCopy): ReadonlyMap<string, ReadonlySet<string>> {
  const source = (wanted: string): Source => {
    const found = copy.metadata.sources.find((each) => each.name === wanted);
    if (found) return found;
    throw new EngineError('not-exists', `source with name ${wanted} does not exists`);
  };
  const withCleanup = ({ tables }: Source): EventTrigger[] =>
    tables.flatMap((entry) => entry.event_triggers.filter(({ cleanup_config }) => cleanup_config));
  if ('sources' in given) {
    const sources = given.sources === '*' ? copy.metadata.sources : given.sources.map(source);
    return new Map(
      sources.map((each) => [each.name, new Set(withCleanup(each).map((trigger) => trigger.name))]),
    );
  }
  return new Map(
    given.map(({ source_name, event_triggers }) => {
      const able = new Set(withCleanup(source(source_name)).map((trigger) => trigger.name));
      for (const each of event_triggers) {
        findTrigger(copy, source_name, each);
        if (!able.has(each)) throw new EngineError('not-exists', `cleanup config does not exist for ${each}`);
      }
      return [source_name, new Set(event_triggers)];
    }),
  );
}

function setPaused(isPaused: boolean): MetadataOperation {
  return operation({
    name: `${isPaused ? 'pause' : 'resume'}_event_trigger`,
    spelling: 'prefixed',
    endpoints: METADATA,
    documentation: isPaused
      ? 'Stops the deliveries of an event trigger in all instances. Its events are captured and wait.'
      : 'Delivers the events of an event trigger again, those that wait first.',
    arguments: object({ name, source: sourceArgument }),
    changesMetadata: false,
    run: async ({ name: trigger, source }, copy) => {
      findTrigger(copy, source, trigger);
      await rowsOf(
        copy,
        source,
        isPaused
          ? 'insert into engine_catalog.paused_event_triggers (trigger_name) values ($1) on conflict do nothing'
          : 'delete from engine_catalog.paused_event_triggers where trigger_name = $1',
        [trigger],
      );
      return SUCCESS;
    },
  });
}

export const eventMaintenanceOperations: readonly MetadataOperation[] = [
  operation({
    name: 'redeliver_events',
    spelling: 'prefixed',
    endpoints: METADATA,
    documentation:
      'Delivers events of an event trigger again, the oldest first: those that failed for good, or all that are finished. `per_second` spreads them over time.',
    arguments: object({
      name,
      source: sourceArgument,
      status: withDefault(oneOf('error', 'processed'), 'error'),
      since: optional(time),
      limit: withDefault<number>(naturalNumber, 1000),
      per_second: optional(numberFrom(0)),
    }),
    changesMetadata: false,
    run: async ({ name: trigger, source, status, since, limit, per_second }, copy) => {
      findTrigger(copy, source, trigger);
      const rows = await rowsOf<{ events: number }>(
        copy,
        source,
        `with chosen as materialized (
           select id, seq from engine_catalog.event_log
           where trigger_name = $1 and ${STATUS_CONDITIONS[status]}
             and ($2::timestamptz is null or created_at >= $2::timestamptz::timestamp)
           order by seq limit $3 for update skip locked
         ),
         numbered as (select id, row_number() over (order by seq) - 1 as position from chosen),
         reset as (
           update engine_catalog.event_log e
           set delivered = false, error = false, tries = 0, locked = null, owner = null,
             next_retry_at = case when $4::float8 > 0 then localtimestamp + position / $4::float8 * interval '1 second' end
           from numbered where e.id = numbered.id
         )
         select count(*)::integer as events from numbered`,
        [trigger, since ?? null, limit, per_second ?? 0],
      );
      return { message: 'success', events: rows[0]!.events };
    },
  }),
  setPaused(true),
  setPaused(false),
  operation({
    name: 'cleanup_event_trigger_logs',
    spelling: 'either',
    endpoints: METADATA,
    documentation: 'Deletes old events of an event trigger that are finished with, now.',
    arguments: object({
      event_trigger_name: name,
      source: sourceArgument,
      clear_older_than: hours,
      batch_size: withDefault(integerFrom(1), 10_000),
      timeout: withDefault<number>(statementSeconds, 60),
      clean_invocation_logs: withDefault(boolean, false),
    }),
    changesMetadata: false,
    run: async ({ event_trigger_name, source, ...given }, copy) => {
      findTrigger(copy, source, event_trigger_name);
      if (!(await hasEventTables(copy, source))) return SUCCESS;
      const deletion: Deletion = {
        olderThan: given.clear_older_than,
        batchSize: given.batch_size,
        timeout: given.timeout,
        invocations: given.clean_invocation_logs,
      };
      const database = copy.database(source);
      const withClient = database.withClient.bind(database) as WithClient;
      await deleteOldEvents(withClient, event_trigger_name, deletion);
      return SUCCESS;
    },
  }),
  setCleanups(true),
  setCleanups(false),
];
