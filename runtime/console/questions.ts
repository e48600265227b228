/** Questions of the console's page, and their answers. */
import type { DescribedReason } from '../core/reason.ts';
import type { LastError, OperatorQuestion } from './operator-questions.ts';

export type ConsoleQuestion = PermissionQuestion | OperatorQuestion;

/** About permissions. A table is meant by its key: `public.ticket`. */
export type PermissionQuestion =
  | { readonly kind: 'access' }
  | { readonly kind: 'operations' }
  | { readonly kind: 'operation'; readonly collection: string; readonly name: string }
  | { readonly kind: 'who'; readonly source: string; readonly table: string; readonly column: string };

/** Every permission of every role but `admin`. Numbers of lists are positions in `lists`. */
export interface AccessAnswer {
  readonly roles: readonly string[];
  readonly tables: readonly AccessTable[];
  readonly permissions: readonly AccessPermission[];
  /** Objects other than tables. */
  readonly rows: readonly AccessRow[];
  readonly lists: readonly (readonly string[])[];
  /** Places of resolvers written by hand, which may do anything: `file:line`. */
  readonly foreign: readonly string[];
}

export interface AccessTable {
  readonly source: string;
  /** `public.ticket`. */
  readonly key: string;
  /** Bare in schema public. */
  readonly name: string;
  readonly kind: string;
  readonly columns: readonly string[];
  readonly computedFields: readonly string[];
}

/** The permission of a role for one operation on a table. Rules are there in words and as generated. */
export interface AccessPermission {
  readonly role: string;
  readonly source: string;
  readonly table: string;
  readonly operation: 'select' | 'insert' | 'update' | 'delete';
  /** No rule limits the rows. */
  readonly isOpen: boolean;
  /** Root fields that lead to it. */
  readonly fields: number;
  /** Absent for delete. */
  readonly columns?: number;
  readonly computedFields?: number;
  readonly where?: string;
  readonly whereWords?: string;
  readonly check?: string;
  readonly checkWords?: string;
  /** Column → value. */
  readonly presets?: Readonly<Record<string, string>>;
  /** Column → rule of the rows that show it. */
  readonly cells?: Readonly<Record<string, string>>;
  readonly limit?: number;
  readonly aggregations?: true;
  readonly backendOnly?: true;
  /** Webhook that must accept the rows; may hold `{{NAME}}` for an environment variable. */
  readonly validatedBy?: string;
  /** `generated/…/access.ts:12`. */
  readonly place?: string;
}

/** A function, an action or a remote schema. */
export interface AccessRow {
  readonly kind: 'function' | 'action' | 'remote schema';
  readonly name: string;
  readonly source?: string;
  readonly note: string;
  /** Role → root fields, or what else it may use. */
  readonly roles: Readonly<Record<string, readonly string[]>>;
  readonly place?: string;
}

/** A saved operation. */
export interface AccessOperation {
  readonly collection: string;
  readonly name: string;
  readonly kind: string;
  /** Roles that may run it; admin is not listed. */
  readonly roles: readonly string[];
  /** `GET /api/rest/tickets`. */
  readonly endpoints: readonly string[];
}

/** Every path by which a role but `admin` reads or writes a column. */
export interface WhoAnswer {
  readonly source: string;
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly paths: readonly {
    readonly role: string;
    readonly access: 'read' | 'write';
    readonly via: string;
    readonly fields: readonly string[];
    readonly rules: readonly {
      readonly table: string;
      readonly part: string;
      readonly text: string;
      readonly words: string;
      readonly limit?: number;
      readonly place?: { readonly file: string; readonly line: number };
    }[];
    readonly possible?: true;
    readonly note?: string;
    readonly backendOnly?: true;
  }[];
  readonly callingViews: readonly string[];
}

/** Answer of `GET /engine/console/state`. */
export interface ConsoleState {
  readonly version: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** The page may change something. */
  readonly mode: 'read' | 'write';
  /** This instance delivers no events. */
  readonly isEventingDisabled: boolean;
  /** Roles may only send operations of the allow-list. */
  readonly isAllowlistEnabled: boolean;
  /** Requests are counted and timed. */
  readonly hasMetrics: boolean;
  /** The last errors of the server, the newest first. */
  readonly lastErrors: readonly LastError[];
  readonly sources: readonly ConsoleSource[];
}

interface ConsoleSource {
  readonly name: string;
  readonly role: 'primary' | 'replica';
  /** Without credentials. */
  readonly address: string;
  /** Seconds that a replica is late; absent: it is the primary, or not known. */
  readonly lag?: number;
  /** Connections by what they do. */
  readonly connections: Readonly<Record<string, number>>;
}

/** Answer of `POST /engine/console/why`: the names of an operation that a role is not offered, and the permissions that apply to the others. */
export interface WhyAnswer {
  readonly kind: 'query' | 'mutation' | 'subscription';
  readonly refused: readonly RefusedField[];
  readonly applied: readonly {
    readonly source: string;
    /** `public.ticket`. */
    readonly table: string;
    readonly operation: 'select' | 'insert' | 'update' | 'delete';
  }[];
}

export interface RefusedField {
  /** Its type and name: `ticket.secret`. */
  readonly name: string;
  /** As errors say it: `$.selectionSet.ticket.selectionSet.secret`. */
  readonly path: string;
  /** Absent where the name does not exist, or its permission is not known. */
  readonly reason?: DescribedReason;
  /** How to grant it. */
  readonly remedy?: string;
  /** Other roles that are offered the name in this place; empty: the name does not exist. */
  readonly roles: readonly string[];
}
