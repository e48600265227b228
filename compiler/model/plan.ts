/**
 * The plan: what phase 4 hands on and phase 5 prints. Shapes, access rules with their SQL texts, and the ledger of every
 * role: pure data with nothing left to decide.
 */

import type { DatabaseObject } from '../../runtime/catalog/catalog.ts';
import type { ActionsProgram } from '../../runtime/core/action/shapes.ts';
import type { EventsProgram } from '../../runtime/core/contract/events.ts';
import type {
  AccessRules,
  DeclaredFunction,
  DeclaredTable,
  SourceShape,
} from '../../runtime/core/contract/shapes.ts';
import type { RemoteSchemaShape } from '../../runtime/core/remotes/shapes.ts';
import type { SavedProgram } from '../../runtime/core/saved/saved.ts';
import type { ProgramSettings } from '../../runtime/core/settings.ts';

export interface Plan extends ProgramPlan {
  /** One ledger for every role that may do anything, sorted by role. */
  readonly ledgers: readonly Ledger[];
  /** What the databases do by themselves, by source. */
  readonly databases: readonly PlannedDatabase[];
  /** Settings that decide which data is served and where it goes, and that no served file holds. */
  readonly settingFacts: readonly SettingFact[];
}

/** A setting that decides which data is served and where it goes; values are words or hashes. */
export type SettingFact =
  | {
      readonly source: string;
      /** Number from 1 on, of a replica. */
      readonly replica?: number;
      readonly what: 'database' | 'TLS' | 'certificates' | 'isolation';
      readonly value: string;
    }
  | { readonly telemetry: string; readonly value: string };

/** What a database does by itself below the tables and functions that are tracked, for comparisons of two versions. */
export interface PlannedDatabase {
  readonly source: string;
  /** Tables, the oldest first: what is called otherwise keeps its place. */
  readonly created: readonly string[];
  readonly objects: Readonly<Record<string, PlannedObject>>;
}

export interface PlannedObject extends DatabaseObject {
  /** Of relations: names by position, null for a column that was dropped. */
  readonly columns?: readonly (string | null)[];
}

/** The served part of the plan. */
export interface ProgramPlan {
  readonly settings: ProgramSettings;
  readonly sources: readonly PlannedSource[];
  readonly events: EventsProgram;
  /** Absent without any. */
  readonly remotes?: readonly RemoteSchemaShape[];
  /** Absent when no action is served. */
  readonly actions?: ActionsProgram;
  /** Absent when the metadata has neither query collections nor REST endpoints. */
  readonly saved?: SavedProgram;
}

export interface PlannedSource {
  readonly shape: SourceShape;
  readonly tables: readonly PlannedTable[];
  readonly functions: readonly DeclaredFunction[];
}

export interface PlannedTable {
  readonly shape: DeclaredTable;
  /** Rule texts are final, line breaks and indentation included. */
  readonly access: AccessRules;
}

/** Everything a role may do, one fact a line, in the metadata's own words, sorted. */
export interface Ledger {
  readonly role: string;
  readonly facts: readonly string[];
}
