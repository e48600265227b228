import { EngineError } from '../../core/errors.ts';
import { list, object, optional } from '../../metadata/combinators.ts';
import { scheduledRetryConfiguration } from '../../metadata/kinds/cron-trigger.ts';
import { header } from '../../metadata/kinds/shared.ts';
import { json, text } from '../../metadata/values.ts';
import { METADATA_AND_LEGACY, operation } from '../operation.ts';

export default operation({
  name: 'create_scheduled_event',
  spelling: 'bare',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Has a web hook called once, at a time.',
  arguments: object({
    webhook: text,
    schedule_at: text,
    payload: optional(json),
    headers: list(header),
    retry_conf: optional(scheduledRetryConfiguration),
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
