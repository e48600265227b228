/**
 * What asks for data that only running triggers and remote schemas leave. Their arguments are checked, so that a mistake is
 * told; what is right is answered `not-supported` until there is something to read.
 */

import { EngineError } from '../../core/errors.ts';
import {
  flag,
  list,
  nameSchema,
  naturalNumber,
  object,
  oneOf,
  optional,
  withDefault,
} from '../../metadata/schemas/shared.ts';
import { sourceArgument } from '../arguments.ts';
import { findSource } from '../edit.ts';
import { METADATA, METADATA_AND_LEGACY, type Operation, operation } from '../operation.ts';
import type { WorkingCopy } from '../working-copy.ts';
import { missingEventTrigger } from './event-triggers.ts';
import { findRemoteSchema } from './remote-schemas.ts';

function unserved<Arguments extends object>(
  what: string,
  definition: Pick<Operation<Arguments>, 'name' | 'spelling' | 'endpoints' | 'documentation' | 'arguments'>,
  check: (args: Arguments, copy: WorkingCopy) => void = () => {},
): Operation {
  return operation<Arguments>({
    ...definition,
    changesMetadata: false,
    run: (args, copy) => {
      check(args, copy);
      throw new EngineError('not-supported', `${what} are not served yet`);
    },
  });
}

interface Page {
  readonly limit: number;
  readonly offset: number;
}

const page = {
  limit: withDefault<number>(naturalNumber, 100),
  offset: withDefault<number>(naturalNumber, 0),
};

interface EventLogArguments extends Page {
  readonly name: string;
  readonly source: string;
  readonly status?: 'pending' | 'processed';
}

const eventLogArguments = object<EventLogArguments>({
  ...page,
  name: nameSchema,
  source: sourceArgument,
  status: optional(oneOf('pending', 'processed')),
});

function requireEventTrigger({ name, source }: EventLogArguments, copy: WorkingCopy): void {
  const triggers = findSource(copy.metadata, source).tables.flatMap(({ event_triggers }) => event_triggers);
  if (!triggers.some((trigger) => trigger.name === name)) throw missingEventTrigger(name);
}

export const getEventLogs = unserved(
  'Event triggers',
  {
    name: 'get_event_logs',
    spelling: 'prefixed',
    endpoints: METADATA,
    documentation:
      'The events of an event trigger; `not-supported` as long as event triggers are not served.',
    arguments: eventLogArguments,
  },
  requireEventTrigger,
);

export const getEventInvocationLogs = unserved(
  'Event triggers',
  {
    name: 'get_event_invocation_logs',
    spelling: 'prefixed',
    endpoints: METADATA,
    documentation:
      'The calls that an event trigger made; `not-supported` as long as event triggers are not served.',
    arguments: eventLogArguments,
  },
  requireEventTrigger,
);

type ScheduledKind = 'one_off' | 'cron';

const scheduledKind = oneOf('one_off', 'cron');

interface ScheduledEventsArguments extends Page {
  readonly type: ScheduledKind;
  readonly trigger_name?: string;
  readonly status: readonly string[];
  readonly get_rows_count: boolean;
}

export const getScheduledEvents = unserved('Scheduled events', {
  name: 'get_scheduled_events',
  spelling: 'bare',
  endpoints: METADATA,
  documentation: 'Scheduled events; `not-supported` as long as they are not served.',
  arguments: object<ScheduledEventsArguments>({
    ...page,
    type: scheduledKind,
    trigger_name: optional(nameSchema),
    status: list<string>(oneOf('scheduled', 'locked', 'delivered', 'error', 'dead')),
    get_rows_count: flag,
  }),
});

interface InvocationsArguments extends Page {
  readonly type: ScheduledKind;
  readonly trigger_name?: string;
  readonly event_id?: string;
  readonly get_rows_count: boolean;
}

export const getScheduledEventInvocations = unserved('Scheduled events', {
  name: 'get_scheduled_event_invocations',
  spelling: 'bare',
  endpoints: METADATA,
  documentation: 'The calls that scheduled events made; `not-supported` as long as they are not served.',
  arguments: object<InvocationsArguments>({
    ...page,
    type: scheduledKind,
    trigger_name: optional(nameSchema),
    event_id: optional(nameSchema),
    get_rows_count: flag,
  }),
});

export const deleteScheduledEvent = unserved('Scheduled events', {
  name: 'delete_scheduled_event',
  spelling: 'bare',
  endpoints: METADATA,
  documentation: 'Deletes a scheduled event; `not-supported` as long as they are not served.',
  arguments: object<{ type: ScheduledKind; event_id: string }>({ type: scheduledKind, event_id: nameSchema }),
});

export const introspectRemoteSchema = unserved(
  'Remote schemas',
  {
    name: 'introspect_remote_schema',
    spelling: 'bare',
    endpoints: METADATA_AND_LEGACY,
    documentation: 'What a remote schema offers; `not-supported` as long as remote schemas are not served.',
    arguments: object<{ name: string }>({ name: nameSchema }),
  },
  ({ name }, copy) => {
    findRemoteSchema(copy, name, () => 'no such remote schema');
  },
);
