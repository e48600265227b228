import { EngineError } from '../../core/errors.ts';
import { quotedName } from '../../core/names.ts';
import { object, withDefault } from '../../metadata/combinators.ts';
import type { QualifiedName } from '../../metadata/metadata.ts';
import { boolean } from '../../metadata/values.ts';
import { refuseDependents } from '../change/dependents.ts';
import { findSource, trackedTableEntry, withSource } from '../change/edit.ts';
import type { WorkingCopy } from '../change/working-copy.ts';
import { tableArguments } from '../request/arguments.ts';
import { sameName } from '../request/names.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../request/operation.ts';

export interface UntrackTableArguments {
  readonly table: QualifiedName;
  readonly source: string;
  readonly cascade: boolean;
}

export const untrackTableArguments = object({ ...tableArguments, cascade: withDefault(boolean, false) });

export default operation({
  name: 'untrack_table',
  spelling: 'prefixed',
  endpoints: METADATA_AND_LEGACY,
  documentation:
    'Takes a table or view out of the API, with everything declared for it. What other tables and functions declare about ' +
    'it is refused, or dropped with `cascade`.',
  arguments: untrackTableArguments,
  policy: 'others',
  changesMetadata: true,
  run: (args, copy) => {
    untrackTable(args, copy);
    return SUCCESS;
  },
});

/** Removes the table from the metadata; throws if it is not there, or needed. */
export function untrackTable({ table, source, cascade }: UntrackTableArguments, copy: WorkingCopy): void {
  findSource(copy.metadata, source);
  if (trackedTableEntry(copy.metadata, source, table) === undefined) {
    throw new EngineError('already-untracked', `view/table already untracked: ${quotedName(table)}`);
  }
  refuseDependents(copy, { kind: 'table', source, table }, cascade);
  copy.metadata = withSource(copy.metadata, source, (owner) => ({
    ...owner,
    tables: owner.tables.filter((entry) => !sameName(entry.table, table)),
  }));
}
