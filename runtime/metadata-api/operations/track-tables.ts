import { EngineError } from '../../core/errors.ts';
import { object, requiredList, withDefault } from '../../metadata/combinators.ts';
import { boolean } from '../../metadata/values.ts';
import { refuseRemoteConflict } from '../change/name-conflicts.ts';
import { enforcePolicy } from '../change/policy.ts';
import type { WorkingCopy } from '../change/working-copy.ts';
import { type ObjectIdentity, tableObject } from '../request/names.ts';
import { METADATA, type MetadataOperation, operation, SUCCESS } from '../request/operation.ts';
import type { Warning } from '../request/warning.ts';
import { type TrackTableArguments, trackTable, trackTableArguments } from './track-table.ts';
import { type UntrackTableArguments, untrackTable, untrackTableArguments } from './untrack-table.ts';

interface Arguments<Table> {
  readonly tables: readonly Table[];
  readonly allow_warnings: boolean;
}

type Named = TrackTableArguments | UntrackTableArguments;

/** Applies a change to each table; those that fail become warnings, unless all fail. */
async function forEachTable<Table extends Named>(
  { tables, allow_warnings }: Arguments<Table>,
  copy: WorkingCopy,
  change: (table: Table, copy: WorkingCopy) => void,
  targets: (table: Table) => readonly ObjectIdentity[],
  verb: 'track' | 'untrack',
): Promise<void> {
  const failures: Warning[] = [];
  const before = copy.inconsistent;
  for (const table of tables) {
    const point = copy.save();
    try {
      change(table, copy);
      await copy.check();
      refuseRemoteConflict(copy.compilation.diagnostics, before, targets(table));
      const policy = verb === 'track' ? 'target' : 'others';
      enforcePolicy(policy, { before, after: copy.inconsistent, targets: targets(table) });
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      copy.restore(point);
      failures.push({
        code: `${verb}-table-failed`,
        message: error.message,
        type: 'table',
        name: tableObject(table.source, table.table).name,
      });
    }
  }
  if (failures.length === 0) return;

  if (failures.length === tables.length)
    throw new EngineError('invalid-configuration', `all tables failed to ${verb}`, { internal: failures });
  if (!allow_warnings) {
    const names = failures.map(({ name }) => name).join(', ');
    throw new EngineError('metadata-warnings', `failed due to metadata warnings: ${names}`, {
      internal: failures,
    });
  }
  for (const failure of failures) copy.warn(failure);
}

export const trackTables: MetadataOperation = operation({
  name: 'track_tables',
  spelling: 'prefixed',
  endpoints: METADATA,
  documentation: 'Tracks several tables; those that cannot be tracked are listed in `warnings`.',
  arguments: object({
    tables: requiredList(trackTableArguments),
    allow_warnings: withDefault<boolean>(boolean, true),
  }),
  policy: 'target',
  changesMetadata: true,
  run: async (args, copy) => {
    await forEachTable(args, copy, trackTable, ({ source, table }) => [tableObject(source, table)], 'track');
    return SUCCESS;
  },
});

export const untrackTables: MetadataOperation = operation({
  name: 'untrack_tables',
  spelling: 'prefixed',
  endpoints: METADATA,
  documentation: 'Untracks several tables; those that cannot be untracked are listed in `warnings`.',
  arguments: object({
    tables: requiredList(untrackTableArguments),
    allow_warnings: withDefault<boolean>(boolean, true),
  }),
  policy: 'others',
  changesMetadata: true,
  run: async (args, copy) => {
    await forEachTable(args, copy, untrackTable, () => [], 'untrack');
    return SUCCESS;
  },
});
