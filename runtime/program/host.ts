/** Where the served program comes from: a compiled folder, or metadata that can be changed while it is served. */

import type { Configuration } from '../configuration/configuration.ts';
import type { ConsoleQuestion } from '../console/questions.ts';
import type { CronTriggerShape } from '../core/contract/events.ts';
import type { Environment } from '../core/environment-template.ts';
import type { MemoryBudget } from '../core/memory/budget.ts';
import type { GeneratedProgram } from '../core/program/resolvers.ts';
import type { CheckedSources } from '../database/health-checks.ts';
import type { SourceConnections } from '../database/source.ts';
import type { Runnable } from '../graphql/request.ts';
import type { Endpoints, LocateRule } from '../http/context.ts';
import type { Health } from '../http/health.ts';
import type { ProjectReport } from '../metadata-api/thread/project.ts';
import type { Observer } from '../observe/logs/observe.ts';

export interface Host {
  readonly endpoints: readonly Endpoints[];
  readonly health: () => Promise<Health>;
  /** Answers the console with JSON; absent without metadata. */
  readonly ask?: (question: ConsoleQuestion) => Promise<string>;
  /** Finds rules in the metadata; absent without metadata. */
  readonly locate?: LocateRule;
  /** Takes over the files of a project, of which the sources named have changed databases. */
  readonly takeProject?: (changed: readonly string[]) => Promise<ProjectReport>;
  /** Changes of the metadata are written to the files of a project. */
  readonly writesFiles?: boolean;
  /** Cron triggers that the server has to deliver; a host with metadata delivers its own. */
  readonly cron?: readonly CronTriggerShape[];
  /** Closes every connection, once what runs there is done. */
  stop(): Promise<void>;
}

export interface HostContext {
  readonly configuration: Configuration;
  readonly environment: Environment;
  readonly observe: Observer;
  /** Limits all that requests leave behind. */
  readonly memory: MemoryBudget;
  /** The metadata database cannot be used yet, for this reason; it is tried again. */
  readonly waiting: (reason: string) => void;
  /** Takes the `health_check` of the metadata's sources. */
  readonly healthChecks: (checks: CheckedSources) => void;
  /** Takes the metadata's `opentelemetry`. */
  readonly telemetry: (settings: object | undefined) => void;
  /** Makes a program ready to be served. */
  readonly prepare: (program: GeneratedProgram, sources: SourceConnections) => PreparedProgram;
}

/** A program that could be served from now on. */
export interface PreparedProgram {
  /** The program that requests run on, served or not. */
  readonly runnable: Runnable;
  /** Starts serving it: one assignment, which cannot fail. */
  readonly activate: () => void;
}
