/**
 * Steps of a request: SQL statements, one for each source, and calls to other servers. Steps are data, made when an
 * operation is planned; each yields JSON texts for the places of its fields in the answer.
 */
import type { JoinTree } from '../join/join.ts';
import type { Scope } from '../query/scope.ts';
import type { Statement } from '../sql/print.ts';
import type { SelectedField } from './selection.ts';
import type { SelectionContext } from './selection-set.ts';

/** A statement whose single row holds one JSON text per column. */
interface ReadStep {
  readonly kind: 'sql';
  readonly source: string;
  readonly statement: Statement;
  /** It calls VOLATILE functions: it runs in a transaction that may write, and never twice. */
  readonly once?: true;
  /** Positions of joins in each column; absent if the statement has no joins. */
  readonly trees?: readonly (JoinTree | undefined)[];
}

/** A call to another server: root fields with the same caller and group, each a column. */
export interface CallStep {
  readonly kind: 'call';
  /** Who makes the call: a key of `Execution.callers`. */
  readonly caller: string;
  readonly group: string;
  readonly operation: 'query' | 'mutation';
  /** Plain data made by the fields' resolvers; only the caller understands it. */
  readonly parts: readonly unknown[];
  readonly trees?: readonly (JoinTree | undefined)[];
}

export type Step = ReadStep | CallStep;

/** Plans a root field that another server answers, as data for the caller. @throws EngineError */
export type CallResolver = (field: SelectedField, scope: Scope, context: SelectionContext) => unknown;
