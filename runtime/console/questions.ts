/** Questions of the console's page, and their answers. */
import type { DescribedReason } from '../core/reason.ts';
import type { LastError, OperatorQuestion } from './operator-questions.ts';
import type { ProposalQuestion } from './proposal-questions.ts';

export type ConsoleQuestion = PermissionQuestion | OperatorQuestion | ProposalQuestion;

/** A line of the access matrix. */
export interface AccessObject {
  readonly kind: 'table' | 'function' | 'action' | 'remote schema';
  /** Empty for what belongs to no source. */
  readonly source: string;
  /** Unique with kind and source: of a table and a function with the schema, `public.ticket`. */
  readonly name: string;
}

/**
 * Questions for the thread that has the generated code. A table is meant by its key: `public.ticket`.
 * - `who`: every path to a column, a WhoAnswer
 * - `operations`, `operation`: saved operations, an OperationsAnswer or an OperationAnswer
 * - `matrix`: everything, as `engine audit matrix --format json` prints it
 * - `difference`: how that differs from another version, a DifferenceAnswer. The text is an artefact, which is read as data and
 *   not run, or a matrix as the question before answers it
 * - `places`: where an object is written, a PlacesAnswer
 */
export type PermissionQuestion =
  | { readonly kind: 'who'; readonly source: string; readonly table: string; readonly column: string }
  | { readonly kind: 'operations' }
  | { readonly kind: 'operation'; readonly collection: string; readonly name: string }
  | { readonly kind: 'matrix' }
  | { readonly kind: 'difference'; readonly text: string }
  | { readonly kind: 'places'; readonly object: AccessObject };

/** Everything that roles but `admin` may do, in one letter for each operation. */
export interface AccessAnswer {
  readonly roles: readonly string[];
  readonly lines: readonly AccessLine[];
}

export interface AccessLine extends AccessObject {
  readonly label: string;
  /** Of a table: what it is called if it is another relation, such as `view`. */
  readonly relation?: string;
  /** Columns and computed fields of a table. */
  readonly columns?: readonly string[];
  /**
   * The different permissions that roles have; the first is to have none. Roles with the same one may do exactly the same.
   * Of a table: a letter for each operation, capital if no rule limits the rows, `-` without permission: `Si--`. Marks may follow,
   * one for each letter: `b` for trusted callers only, `h` where no root field leads to it, `.` for neither. Of anything else `x`.
   */
  readonly variants: readonly string[];
  /** For each role, in order, the number of its variant as a character: `0` and those behind it. */
  readonly cells: string;
}

/** A line of the matrix with all that is behind its cells. */
export interface AccessDetail extends AccessObject {
  /** What it is, in words. */
  readonly note: string;
  readonly columns?: readonly string[];
  /** Effects of a call by any role: data that leaves the server, tables that are written. Absent: none are known. */
  readonly effects?: readonly string[];
  /** Of a table. */
  readonly permissions?: readonly AccessPermission[];
  /** Of anything else: role → root fields, or what else it may use. */
  readonly roles?: Readonly<Record<string, readonly string[]>>;
  /** Of what has no permissions: what every role may use. */
  readonly everyRole?: readonly string[];
}

/** The permission of a role for one operation on a table. Rules are in words. */
export interface AccessPermission {
  readonly role: string;
  readonly operation: 'select' | 'insert' | 'update' | 'delete';
  /** No rule limits the rows. */
  readonly isOpen: boolean;
  /** Root fields that lead to it. */
  readonly fields: readonly string[];
  /** Absent for delete. */
  readonly columns?: readonly string[];
  readonly computedFields?: readonly string[];
  readonly where?: string;
  readonly check?: string;
  readonly checkMessage?: string;
  /** Column → value. */
  readonly presets?: Readonly<Record<string, string>>;
  /** Column → rule of the rows that show it. */
  readonly cells?: Readonly<Record<string, string>>;
  readonly limit?: number;
  readonly aggregations?: true;
  readonly backendOnly?: true;
  /** Webhook that must accept the rows; may hold `{{NAME}}` for an environment variable. */
  readonly validatedBy?: string;
}

/** Where an object is written, as `file:line`: `generated/…/ticket.access.ts:12`. */
export interface PlacesAnswer {
  /** Of the object. */
  readonly place?: string;
  /** Of a table's permissions: operation → role. */
  readonly rules?: Readonly<Record<string, Readonly<Record<string, string>>>>;
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
  /** Hosts that get the value without a request for it. */
  readonly sent: readonly { readonly to: string; readonly by: string }[];
  /** Sentences about what no path speaks of. */
  readonly limits: readonly string[];
}

/** Answer of `GET /engine/console/state`. */
export interface ConsoleState {
  readonly version: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** The page may change something. */
  readonly mode: 'read' | 'write';
  /** Changes of the metadata are written to the files that are served. */
  readonly writesFiles: boolean;
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

/** What differs from another version. */
export interface DifferenceAnswer {
  readonly cells: readonly DifferentCell[];
}

export interface DifferentCell extends AccessObject {
  readonly label: string;
  readonly role: string;
  /** The variant of the other version: see AccessLine. */
  readonly before: string;
  /** Of a table: permissions that differ, in both versions. */
  readonly permissions?: {
    readonly before: readonly AccessPermission[];
    readonly now: readonly AccessPermission[];
  };
  /** Of anything else: what the role could use, and can use. */
  readonly uses?: { readonly before: readonly string[]; readonly now: readonly string[] };
}
