/**
 * Event triggers and cron triggers as generated files declare them: what is captured, by which SQL, and where it is sent.
 * Plain data; values of environment variables are filled in where it is sent.
 */
import type { ConfiguredHeader, EnvironmentText } from '../environment-template.ts';
import { MAX_IDENTIFIER } from '../names.ts';

/** Name of the function that captures an operation for an event trigger, and of its database trigger, as PostgreSQL cuts it. */
export function captureName(trigger: string, operation: EventOperationName): string {
  const bytes = new TextEncoder().encode(`notify_engine_${trigger}_${operation}`);
  // A character that does not fit as a whole is left out.
  return new TextDecoder().decode(bytes.subarray(0, MAX_IDENTIFIER), { stream: true });
}

export type EventOperationName = 'INSERT' | 'UPDATE' | 'DELETE';

/** Capture of one operation. The texts are installed unchanged. */
export interface CaptureShape {
  readonly operation: EventOperationName;
  /** Columns that leave the database; `"*"` includes those that the table gains later. */
  readonly sends: '*' | readonly string[];
  /** `create or replace function …`. */
  readonly function: string;
  /** `create trigger …`. */
  readonly trigger: string;
  /** The trigger fires for changes that replication applies, too. */
  readonly always?: true;
}

/** Times in seconds. */
export interface RetryShape {
  /** Further attempts after the first. */
  readonly retries: number;
  readonly interval: number;
  /** Seconds for one attempt. */
  readonly timeout: number;
  readonly backoff?: BackoffShape;
  /** Outcomes that are tried again; every failure unless given. */
  readonly on?: readonly (number | '4xx' | '5xx' | 'network' | 'timeout')[];
  /** After so many failures in a row without an answer, one call per interval is made. */
  readonly breaker?: { readonly failures: number; readonly interval: number };
}

/** The wait grows by a factor with each attempt, up to a maximum; with jitter it is random below that. */
interface BackoffShape {
  readonly factor: number;
  readonly maximum: number;
  readonly jitter: boolean;
}

/** Where something is sent, and how. */
export interface DeliveryShape {
  readonly webhook: EnvironmentText;
  readonly headers: readonly ConfiguredHeader[];
  readonly retry: RetryShape;
  /** As in the metadata. */
  readonly requestTransform?: unknown;
  /** Environment variables with the secrets that sign each call. */
  readonly signing?: readonly string[];
}

/** When old events that are finished are deleted, with the calls that were made for them if `invocations` says so. */
export interface CleanupShape {
  /** Cron expression of five fields, UTC. */
  readonly schedule: string;
  /** Hours. */
  readonly olderThan: number;
  /** Events deleted by one statement. */
  readonly batchSize: number;
  /** Seconds that one statement may take. */
  readonly timeout: number;
  readonly invocations: boolean;
  readonly paused: boolean;
}

/** Events with the same values of these columns are delivered one at a time, in their order. */
export interface OrderShape {
  readonly columns: readonly string[];
  /** Effect on later events of an event that has used up its attempts. */
  readonly onError: 'block' | 'skip';
}

export interface EventTriggerShape {
  readonly name: string;
  readonly table: { readonly schema: string; readonly name: string };
  /** Events may be made by hand. */
  readonly manual: boolean;
  readonly order?: OrderShape;
  readonly captures: readonly CaptureShape[];
  readonly delivery: DeliveryShape;
  readonly cleanup?: CleanupShape;
}

/** Event triggers of a source, sorted by name. */
export interface SourceEvents {
  readonly source: string;
  readonly triggers: readonly EventTriggerShape[];
}

export interface CronTriggerShape {
  readonly name: string;
  /** Cron expression of five fields; UTC unless there is a time zone. */
  readonly schedule: string;
  readonly timezone?: string;
  /** Events that were due while no server ran: `one` sends the last, `skip` none. Absent: all are sent. */
  readonly missed?: 'one' | 'skip';
  readonly payload?: unknown;
  readonly comment?: string;
  readonly delivery: DeliveryShape;
  /** Seconds that an event may be late; older ones are not sent. */
  readonly tolerance: number;
}

/** Everything that calls webhooks by itself. */
export interface EventsProgram {
  /** Sources with event triggers. */
  readonly sources: readonly SourceEvents[];
  readonly cron: readonly CronTriggerShape[];
}

/** Declares an event trigger. */
export function eventTrigger(shape: EventTriggerShape): EventTriggerShape {
  return Object.freeze(shape);
}

/** Declares the cron triggers. */
export function cronTriggers(shapes: readonly CronTriggerShape[]): readonly CronTriggerShape[] {
  return Object.freeze(shapes);
}

/** Declares everything that calls webhooks by itself. */
export function eventsProgram(parts: EventsProgram): EventsProgram {
  return Object.freeze(parts);
}
