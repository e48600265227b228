import { EngineError } from '../../core/errors.ts';
import type { Header, Json, ScheduledRetryConfiguration } from '../../metadata/metadata.ts';
import { headerSchema, json, list, object, optional, text } from '../../metadata/schemas/shared.ts';
import { scheduledRetryConfigurationSchema } from '../../metadata/schemas/trigger.ts';
import { METADATA_AND_LEGACY, operation } from '../operation.ts';

interface Arguments {
  readonly webhook: string;
  readonly schedule_at: string;
  readonly payload?: Json;
  readonly headers: readonly Header[];
  readonly retry_conf?: ScheduledRetryConfiguration;
  readonly comment?: string;
}

export default operation<Arguments>({
  name: 'create_scheduled_event',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Has a web hook called once, at a time.',
  arguments: object<Arguments>({
    webhook: text,
    schedule_at: text,
    payload: optional(json),
    headers: list(headerSchema),
    retry_conf: optional(scheduledRetryConfigurationSchema),
    comment: optional(text),
  }),
  changesMetadata: false,
  run: ({ schedule_at }) => {
    if (Number.isNaN(Date.parse(schedule_at))) {
      throw new EngineError('parse-failed', `${JSON.stringify(schedule_at)} is no time in ISO 8601`, {
        path: '$.schedule_at',
      });
    }
    throw new EngineError('not-supported', 'scheduled events are not served yet');
  },
});
