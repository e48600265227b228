import type { z } from 'zod';
import type {
  Columns,
  CronTrigger,
  EventOperation,
  EventRetryConfiguration,
  EventTrigger,
  EventTriggerDefinition,
  Header,
  JsonObject,
  ScheduledRetryConfiguration,
} from '../metadata.ts';
import { cronScheduleSchema } from './cron-schedule.ts';
import {
  boolean,
  columnsSchema,
  flag,
  headerSchema,
  json,
  jsonObject,
  list,
  nameSchema,
  naturalNumber,
  object,
  objectAs,
  optional,
  text,
  toAddress,
  withDefault,
} from './shared.ts';

const eventOperation = object<EventOperation>({
  columns: columnsSchema,
  payload: optional<Columns>(columnsSchema),
});

const eventTriggerDefinitionSchema = object<EventTriggerDefinition>({
  insert: optional(eventOperation),
  update: optional(eventOperation),
  delete: optional(eventOperation),
  enable_manual: flag,
});

/** Ten seconds between attempts, a minute for each. */
export const eventRetryDefaults: EventRetryConfiguration = {
  num_retries: 0,
  interval_sec: 10,
  timeout_sec: 60,
};

export const eventRetryConfigurationSchema = object<EventRetryConfiguration>({
  num_retries: naturalNumber,
  interval_sec: naturalNumber,
  timeout_sec: withDefault(naturalNumber, eventRetryDefaults.timeout_sec),
});

interface RawEventTrigger {
  name: string;
  definition: EventTriggerDefinition;
  retry_conf: EventRetryConfiguration;
  webhook?: string;
  webhook_from_env?: string;
  headers: readonly Header[];
  request_transform?: JsonObject;
  response_transform?: JsonObject;
  cleanup_config?: JsonObject;
  trigger_on_replication: boolean;
}

/** An entry of a table's event triggers, without its path. */
export const eventTriggerSchema: z.ZodType<Omit<EventTrigger, 'path'>> = objectAs<
  RawEventTrigger,
  Omit<EventTrigger, 'path'>
>(
  {
    name: nameSchema,
    definition: eventTriggerDefinitionSchema,
    retry_conf: withDefault<EventRetryConfiguration>(eventRetryConfigurationSchema, eventRetryDefaults),
    webhook: optional(text),
    webhook_from_env: optional(nameSchema),
    headers: list(headerSchema),
    request_transform: optional(jsonObject),
    response_transform: optional(jsonObject),
    cleanup_config: optional(jsonObject),
    trigger_on_replication: withDefault(boolean, true),
  },
  ({ webhook, webhook_from_env, ...raw }, fail) => ({
    ...raw,
    webhook: toAddress(webhook, webhook_from_env, ['webhook', 'webhook_from_env'], fail),
  }),
);

export const scheduledRetryDefaults: ScheduledRetryConfiguration = {
  num_retries: 0,
  retry_interval_seconds: 10,
  timeout_seconds: 60,
  tolerance_seconds: 21600,
};

export const scheduledRetryConfigurationSchema = object<ScheduledRetryConfiguration>({
  num_retries: withDefault(naturalNumber, scheduledRetryDefaults.num_retries),
  retry_interval_seconds: withDefault(naturalNumber, scheduledRetryDefaults.retry_interval_seconds),
  timeout_seconds: withDefault(naturalNumber, scheduledRetryDefaults.timeout_seconds),
  tolerance_seconds: withDefault(naturalNumber, scheduledRetryDefaults.tolerance_seconds),
});

export const cronTriggerSchema = object<Omit<CronTrigger, 'path'>>({
  name: nameSchema,
  webhook: text,
  schedule: cronScheduleSchema,
  include_in_metadata: boolean,
  payload: optional(json),
  retry_conf: withDefault<ScheduledRetryConfiguration>(
    scheduledRetryConfigurationSchema,
    scheduledRetryDefaults,
  ),
  headers: list(headerSchema),
  comment: optional(text),
  request_transform: optional(jsonObject),
  response_transform: optional(jsonObject),
});
