/**
 * Fields whose value another step finds: a table of another source, a field of a remote schema, rows for the answer of an
 * action. The left side puts the values of the join columns in the place of the field; the join looks each tuple up, once,
 * and the result takes the place of the values (see splice.ts). Steps of one level run in parallel.
 */
import { EngineError } from '../errors.ts';
import type { Column } from '../program/program.ts';
import type { Scope } from '../query/scope.ts';
import type { SelectedField, Selection } from '../request/selection.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import type { Sql } from '../sql/fragment.ts';
import type { Statement } from '../sql/print.ts';

/** Declaration of a field with the meaning `join`. */
export interface JoinField {
  /** The compared values, in the order of the target's columns or variables. */
  readonly keys: readonly JoinKey[];
  /**
   * How the left side hands the values over. `tuple`: the field's own value is a list of them, or null (rows of tables,
   * answers of actions). `fields`: they are fields named by `hiddenField`, where another server decides on the form.
   */
  readonly handover: 'tuple' | 'fields';
  readonly target: JoinTarget;
}

/** One value of the left side. */
export interface JoinKey {
  readonly name: string;
  /** In the row of an alias; only for rows of tables. */
  readonly value?: (alias: Sql) => Sql;
  /** The value needs a row of the table's own type, because a function takes it. */
  readonly needsWholeRow?: boolean;
}

type JoinTarget = TableTarget | CallTarget;

/** Rows of a table, by equality of columns. */
export interface TableTarget {
  readonly kind: 'table';
  readonly source: string;
  /** The table as the role sees it. */
  readonly visible: VisibleTable;
  readonly columns: readonly Column[];
  readonly form: 'object' | 'array' | 'aggregate';
}

/** The result of a caller (see steps.ts). */
interface CallTarget {
  readonly kind: 'call';
  readonly caller: string;
  /** Joins of one level with the same caller and group are handed to it together. */
  readonly group: string;
  /** Plans the lookup of the field as data for the caller. @throws EngineError */
  readonly resolve: (field: SelectedField, scope: Scope) => unknown;
  /** As `PlannedJoin.encode`. */
  readonly encode?: PlannedJoin['encode'];
}

/** A join of a request. Identity counts: results are kept by it. */
export interface PlannedJoin {
  readonly responseName: string;
  readonly path: string;
  readonly handover: JoinField['handover'];
  /** Fields that hold the values, for the handover `fields`. */
  readonly hidden: readonly string[];
  /** The field is never null: where a value is null or fits no row, the result is that of no rows. Only for tables. */
  readonly required: boolean;
  /** Converts the values to texts comparable with the target; undefined if no target can be equal. */
  readonly encode?: (values: readonly string[]) => readonly string[] | undefined;
  /** Joins within each result. */
  tree?: JoinTree;
}

/** Positions of joins in an answer, by key, through lists. */
export interface JoinTree {
  readonly below: ReadonlyMap<string, JoinTree>;
  /** Handover `tuple`, by response name. */
  readonly tuples: ReadonlyMap<string, PlannedJoin>;
  /** Names of types to be replaced, by response name. */
  readonly renamed: ReadonlyMap<string, (name: string) => string>;
  /** Fields that the answer leaves out. */
  readonly omitted: ReadonlySet<string>;
  /** Handover `fields`, by hidden field. */
  readonly hidden: ReadonlyMap<string, { readonly join: PlannedJoin; readonly index: number }>;
}

/** Items of a list of results: the result of each tuple in order, or rows with the position of their tuple (`gatherRows`). */
export type ResultForm = 'ordered' | 'object' | 'array';

/** The joins of one level that one statement, or one call, answers. */
export type JoinRequest =
  | {
      readonly kind: 'sql';
      readonly source: string;
      /** One column for each join: a JSON list. */
      readonly statement: Statement;
      readonly joins: readonly PlannedJoin[];
      /** For each join, the meaning of its list. */
      readonly forms: readonly ResultForm[];
    }
  | {
      readonly kind: 'call';
      readonly caller: string;
      readonly group: string;
      readonly joins: readonly PlannedJoin[];
      /** Results of `CallTarget.resolve`, one for each. */
      readonly parts: readonly unknown[];
    };

export type JoinLevels = readonly (readonly JoinRequest[])[];

const HIDDEN = '__join_';

/** The name of a hidden field. The type distinguishes fields of several fragments. */
function hiddenField({ typeName }: Selection, { responseName }: SelectedField, index: number): string {
  // A type with an underscore in its name would have the fields of another one.
  const length = typeName.includes('_') ? `${typeName.length}_` : '';
  return `${HIDDEN}${index}_${length}${typeName}_${responseName}`;
}

/** Names of the fields that hold a join's values. Without values, one field shows that the object is there. */
export function hiddenFields(selection: Selection, field: SelectedField, { keys }: JoinField): string[] {
  return Array.from({ length: Math.max(1, keys.length) }, (_, index) => hiddenField(selection, field, index));
}

/** Asks another server for an object of which nothing is selected: it selects `__typename`, which the answer leaves out. */
export const NOTHING_SELECTED = `${HIDDEN}nothing`;

/** @throws EngineError for a response name that hidden fields may have */
export function refuseHidden({ responseName, path }: SelectedField): void {
  if (responseName.startsWith(HIDDEN))
    throw new EngineError('validation-failed', `the alias '${responseName}' is reserved`, { path });
}
