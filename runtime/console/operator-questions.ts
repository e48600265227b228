/** Questions of the console's pages for operators, and their answers. */
import type { AccessOperation } from './questions.ts';

/** Answered from the metadata that is served and from databases. */
export type OperatorQuestion =
  | { readonly kind: 'metadata' }
  | { readonly kind: 'inconsistencies' }
  | { readonly kind: 'queues' }
  | { readonly kind: 'calls'; readonly action: string }
  | { readonly kind: 'remotes' }
  | { readonly kind: 'remote'; readonly name: string }
  /** What schemas name, a FactsAnswer. */
  | { readonly kind: 'facts'; readonly schemas: readonly string[] };

/** For each schema: see remoteFactTexts. */
export interface FactsAnswer {
  readonly facts: readonly (readonly string[])[];
}

/** What is served beside what is stored. Hashes are equal where the metadata is. */
export interface MetadataAnswer {
  readonly served: StoredVersion;
  /** Absent where the metadata database does not answer. */
  readonly stored?: StoredVersion;
  /** Why the metadata database does not answer. */
  readonly unreachable?: string;
  /** Hash of the generated code that is served. */
  readonly program: string;
  /** Number of objects that are not served. */
  readonly inconsistencies: number;
}

interface StoredVersion {
  readonly resourceVersion: number;
  readonly hash: string;
}

/** Objects of the metadata that are not served. */
export interface InconsistenciesAnswer {
  readonly inconsistencies: readonly ConsoleInconsistency[];
}

export interface ConsoleInconsistency {
  readonly name: string;
  /** Kind of the object, `event_trigger`; absent for objects that conflict with each other. */
  readonly type?: string;
  readonly reason: string;
  /** Place in the document that export_metadata gives: `metadata.sources[0].tables[3]`. */
  readonly path: string;
  /** Place in a file, where the metadata was read from files: `tables.yaml:12`. */
  readonly place?: string;
  /** Consequence and advice, a sentence or two each. */
  readonly details: readonly string[];
  /** Path of the object without which this one cannot be served. */
  readonly because?: string;
  readonly definition: unknown;
  /** Where to read again what it depends on. Absent where only a change of the metadata helps. */
  readonly reload?: { readonly source: string } | { readonly remoteSchema: string };
}

/** How much waits and what failed, by queue. Times are ISO 8601. */
export interface QueuesAnswer {
  readonly triggers: readonly TriggerQueue[];
  readonly crons: readonly CronQueue[];
  readonly oneOff: ScheduledQueue;
  readonly actions: readonly ActionQueue[];
  /** Why figures are missing: source, or `metadata` for the metadata database. */
  readonly unread: readonly { readonly database: string; readonly reason: string }[];
}

/** Absent figures could not be read. */
interface Queue {
  /** Events that wait, those that are tried again included. */
  readonly pending?: number;
  /** Events that wait after an attempt that failed. */
  readonly retrying?: number;
  /** Events whose last attempt failed within 24 hours. */
  readonly failed?: number;
}

export interface TriggerQueue extends Queue {
  readonly source: string;
  /** `public.item`. */
  readonly table: string;
  readonly name: string;
  readonly isPaused?: boolean;
  /** When the event that waits longest was made. */
  readonly oldest?: string;
}

/** Pending events of schedules are those that are due. */
export interface ScheduledQueue extends Queue {
  /** The next times, at most three. */
  readonly next?: readonly string[];
}

export interface CronQueue extends ScheduledQueue {
  readonly name: string;
  readonly schedule: string;
  /** UTC unless given. */
  readonly timezone?: string;
}

/** An asynchronous action; its calls are not tried again. */
export interface ActionQueue extends Omit<Queue, 'retrying'> {
  readonly name: string;
}

/** The last calls of an asynchronous action, newest first. */
export interface CallsAnswer {
  readonly action: string;
  readonly calls: readonly {
    readonly id: string;
    readonly status: 'created' | 'processing' | 'completed' | 'error';
    readonly createdAt: string;
    readonly endedAt: string | null;
    /** Error of the call as its client gets it, with details for administrators. */
    readonly errors: unknown;
  }[];
}

/** The remote schemas of the metadata; no server is asked. */
export interface RemotesAnswer {
  readonly remotes: readonly {
    readonly name: string;
    /** As in the metadata, with `{{NAME}}` for a variable. */
    readonly address: string;
    /** Every role may ask for all of it: the server has no permissions for remote schemas enabled. */
    readonly isOpen: boolean;
    /** Roles with a permission. */
    readonly roles: readonly string[];
    /** Relationships that lead to it: `public.item.capital`, or `countries.Country.capital`. */
    readonly relationships: readonly string[];
  }[];
}

/** A remote schema as its server has it now, beside the one that is served. */
export interface RemoteAnswer {
  readonly name: string;
  /** Its lock is served, whatever its server has. */
  readonly isLocked: boolean;
  /** Why it is not served. */
  readonly problem?: string;
  /** Why its server could not be asked. */
  readonly unreachable?: string;
  /** `breaking`: permissions, relationships or saved operations would no longer work. Absent where nothing can be compared. */
  readonly verdict?: 'same' | 'compatible' | 'breaking';
  readonly broken: readonly { readonly name?: string | undefined; readonly reason: string }[];
  /** The lines that differ: `-` as it is served, `+` as its server has it. */
  readonly difference: string;
  /** There are more lines. */
  readonly isCut: boolean;
}

/** The saved operations. */
export interface OperationsAnswer {
  readonly operations: readonly (AccessOperation & {
    /** Roles for which the allow-list has it; absent: none. */
    readonly allowed?: 'every role' | readonly string[];
  })[];
}

/** A saved operation, as it was compiled. */
export interface OperationAnswer {
  readonly collection: string;
  readonly name: string;
  readonly kind: 'query' | 'mutation' | 'subscription';
  readonly document: string;
  /** Types by name, with their default values: `Int! = 20`. */
  readonly variables: Readonly<Record<string, string>>;
  /** Roles for which the allow-list has it; absent: none. */
  readonly allowed?: 'every role' | readonly string[];
  readonly routes: readonly {
    readonly name: string;
    readonly methods: readonly string[];
    readonly url: string;
  }[];
  /** Every role but `admin`, with the reason where its permissions do not suffice. */
  readonly roles: readonly { readonly role: string; readonly refused?: string }[];
  readonly columns: readonly OperationColumns[];
  /** Statements by the roles that share them, with holes for their rules. */
  readonly statements: readonly SavedStatements[];
  /** Why there are no statements before a request. */
  readonly unplanned?: string;
}

/** Columns of a table that an operation names. */
export interface OperationColumns {
  readonly source: string;
  readonly table: string;
  readonly shows: readonly string[];
  readonly writes: readonly string[];
  readonly selectsBy: readonly string[];
}

export interface SavedStatements {
  readonly roles: readonly string[];
  /** Variables for whose values these are: whether they are null, or which boolean they are. */
  readonly when?: Readonly<Record<string, 'value' | 'null' | boolean>>;
  readonly statements: readonly { readonly source: string; readonly sql: string }[];
}

/** Equal errors of the server, as one entry. Times are ISO 8601. */
export interface LastError {
  /** `request`, `event`, `action`, `remote schema`, `server`, … */
  readonly kind: string;
  /** Name of the object, or method and path of the request. */
  readonly subject: string;
  /** Code, or what happened in words. */
  readonly message: string;
  readonly count: number;
  readonly first: string;
  readonly last: string;
}
