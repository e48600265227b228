/** Event triggers and cron triggers after phase 3: columns resolved, definitions read. */

import type {
  CleanupShape,
  DeliveryShape,
  EventOperationName,
  OrderShape,
} from '../../runtime/core/contract/events.ts';
import type { QualifiedName } from '../../runtime/core/names.ts';
import type { ColumnType } from '../../runtime/core/types.ts';
import type { CronTrigger } from '../../runtime/metadata/metadata.ts';

export interface ModelEvents {
  /** Sources with event triggers, sorted by name. */
  readonly sources: readonly { readonly source: string; readonly triggers: readonly ModelEventTrigger[] }[];
  /** Sorted by name. */
  readonly cron: readonly CronTrigger[];
}

export interface ModelEventTrigger {
  readonly name: string;
  readonly table: QualifiedName;
  readonly manual: boolean;
  readonly operations: readonly ModelCapture[];
  /** A statement sees the rows of this table only, and no others: one trigger call per statement is enough. */
  readonly perStatement: boolean;
  readonly onReplication: boolean;
  readonly delivery: DeliveryShape;
  readonly order?: OrderShape;
  readonly cleanup?: CleanupShape;
}

export interface ModelCapture {
  readonly operation: EventOperationName;
  /** Updates of these columns count; every column when it is `"*"`. */
  readonly watches: '*' | readonly CapturedColumn[];
  /** Columns sent: all of them with those that the table gains later, or these. */
  readonly sends: '*' | readonly string[];
  /** The columns sent, as the table has them now. */
  readonly columns: readonly CapturedColumn[];
}

export interface CapturedColumn {
  readonly name: string;
  readonly type: ColumnType;
  /** Schema of the type. */
  readonly typeSchema: string;
}
