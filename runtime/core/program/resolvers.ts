/** The form of a generated program: what `generated/index.ts` exports. */
import type { ActionsProgram } from '../action/shapes.ts';
import type { CheckedFunctions, CheckedTables } from '../contract/checked-types.ts';
import type { EventsProgram } from '../contract/events.ts';
import type { DeclaredFunction, DeclaredTable, SourceShape, TableAccess } from '../contract/shapes.ts';
import type { RemoteSchemaShape } from '../remotes/shapes.ts';
import type { SavedProgram } from '../saved/saved.ts';
import type { ProgramSettings } from '../settings.ts';

/** Everything that is served. */
export interface GeneratedProgram extends ProgramSettings {
  readonly sources: readonly SourceShape[];
  /** Tables with what the roles may do with them. */
  readonly tables: readonly TableAccess[];
  readonly functions: readonly DeclaredFunction[];
  /** Absent when nothing calls webhooks by itself. */
  readonly events?: EventsProgram;
  /** Absent without any. */
  readonly remotes?: readonly RemoteSchemaShape[];
  /** Absent when there are no actions. */
  readonly actions?: ActionsProgram;
  /** Absent when nothing is saved. */
  readonly saved?: SavedProgram;
}

/** Declares the program. A table without rules is listed without access rules. */
export function program<
  const Tables extends readonly (TableAccess | DeclaredTable)[],
  const Functions extends readonly DeclaredFunction[],
>(
  parts: Omit<GeneratedProgram, 'tables' | 'functions'> & {
    readonly tables: Tables & CheckedTables<Tables>;
    readonly functions: Functions & CheckedFunctions<Functions, Tables>;
  },
): GeneratedProgram {
  const tables = (parts.tables as Tables).map((each) => ('table' in each ? each : withoutRules(each)));
  return Object.freeze({ ...parts, tables, functions: parts.functions as Functions });
}

/** Memo: the declaration of a table never changes. */
const unruled = new WeakMap<DeclaredTable, TableAccess>();

/** Returns the same object for the same table, so that programs can be compared by identity. */
function withoutRules(table: DeclaredTable): TableAccess {
  const known = unruled.get(table) ?? Object.freeze({ table });
  unruled.set(table, known);
  return known;
}
