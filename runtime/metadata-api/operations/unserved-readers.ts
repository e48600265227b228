/**
 * What asks for data that only running triggers and remote schemas leave. Their arguments are checked, so that a mistake is
 * told; what is right is answered `not-supported` until there is something to read.
 */

import { EngineError } from '../../core/errors.ts';
import { list, object, optional, withDefault } from '../../metadata/combinators.ts';
import { boolean, name, naturalNumber, oneOf } from '../../metadata/values.ts';
import { METADATA, type Operation, operation } from '../operation.ts';
import type { WorkingCopy } from '../working-copy.ts';

function unserved<Arguments extends object>(
  what: string,
  definition: Pick<Operation<Arguments>, 'name' | 'spelling' | 'endpoints' | 'documentation' | 'arguments'>,
  check: (args: Arguments, copy: WorkingCopy) => void = () => {},
): Operation {
  return operation({
    ...definition,
    changesMetadata: false,
    run: (args, copy) => {
      check(args, copy);
      throw new EngineError('not-supported', `${what} are not served yet`);
    },
  });
}

const page = {
  limit: withDefault<number>(naturalNumber, 100),
  offset: withDefault<number>(naturalNumber, 0),
};

const scheduledKind = oneOf('one_off', 'cron');

export const getScheduledEvents = unserved('Scheduled events', {
  name: 'get_scheduled_events',
  spelling: 'bare',
  endpoints: METADATA,
  documentation: 'Scheduled events; `not-supported` as long as they are not served.',
  arguments: object({
    ...page,
    type: scheduledKind,
    trigger_name: optional(name),
    status: list<string>(oneOf('scheduled', 'locked', 'delivered', 'error', 'dead')),
    get_rows_count: withDefault(boolean, false),
  }),
});

export const getScheduledEventInvocations = unserved('Scheduled events', {
  name: 'get_scheduled_event_invocations',
  spelling: 'bare',
  endpoints: METADATA,
  documentation: 'The calls that scheduled events made; `not-supported` as long as they are not served.',
  arguments: object({
    ...page,
    type: scheduledKind,
    trigger_name: optional(name),
    event_id: optional(name),
    get_rows_count: withDefault(boolean, false),
  }),
});

export const deleteScheduledEvent = unserved('Scheduled events', {
  name: 'delete_scheduled_event',
  spelling: 'bare',
  endpoints: METADATA,
  documentation: 'Deletes a scheduled event; `not-supported` as long as they are not served.',
  arguments: object({ type: scheduledKind, event_id: name }),
});
