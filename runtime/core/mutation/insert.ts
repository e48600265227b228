/**
 * Inserts. Rows without nested data are one statement; with nested data, the fewest statements that have the effect of one
 * object after the other.
 */

import type { DeclaredTable } from '../contract/shapes.ts';
import type { Path } from '../errors.ts';
import type { Requester, TableCall } from '../program/root-fields.ts';
import { type Scope, scopeOf } from '../query/scope.ts';
import { lazy } from '../remember.ts';
import type { InputNode, RootArguments, Selection } from '../request/selection.ts';
import { sharedTypes } from '../schema/shared-types.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import { raw } from '../sql/fragment.ts';
import { type Conflict, conflictOf } from './conflict.ts';
import { asking } from './input-validation.ts';
import { gatherLevels, planLevels } from './insert-batch.ts';
import { hasNested, type InsertObject, type RowValues, readObjects } from './insert-objects.ts';
import { insertQuestions } from './insert-questions.ts';
import { flatWrite, planObjects, statementSets } from './insert-singly.ts';
import { keptCount, keptRows } from './kept.ts';
import type { MutationStep, WriteStep } from './step.ts';
import {
  type AnswerForm,
  asksForCount,
  asksForRows,
  nothingWritten,
  writeStep,
  writeThenRead,
} from './written.ts';

/** Resolver of `insert_<t>`. */
export function insertRows({ of, requester, selection, args }: TableCall): MutationStep {
  const node = args.get('objects');
  if (node?.kind !== 'list') return nothingWritten(selection, 'object');
  return insert(of, requester, node.items, node.path, args, selection, 'object');
}

/** Resolver of `insert_<t>_one`: the row, or null when a conflict skipped it. */
export function insertRow({ of, requester, selection, args }: TableCall): MutationStep {
  const node = args.get('object')!;
  return insert(of, requester, [node], node.path, args, selection, 'row');
}

function insert(
  of: DeclaredTable,
  requester: Requester,
  nodes: readonly InputNode[],
  path: Path,
  args: RootArguments,
  selection: Selection,
  form: AnswerForm,
): MutationStep {
  const scope = scopeOf(requester);
  const visible = scope.roleSchema.of(of);
  const onConflict = args.get(sharedTypes(visible.table.source).name('on_conflict'));
  const conflict = conflictOf(onConflict, visible);
  const objects = readObjects(nodes, visible);
  const step = insertObjects(visible, objects, conflict, path, selection, form, scope);
  return asking(step, insertQuestions(visible, nodes, onConflict));
}

function insertObjects(
  visible: VisibleTable,
  objects: readonly InsertObject[],
  conflict: Conflict | undefined,
  path: Path,
  selection: Selection,
  form: AnswerForm,
  scope: Scope,
): MutationStep {
  if (!objects.some(hasNested)) return insertValues(visible, objects, conflict, path, selection, form, scope);
  const level = conflict ? undefined : gatherLevels(visible, objects, scope.roleSchema.program.tables);
  const singly = () => insertSingly(visible, objects, conflict, path, selection, form, scope);
  if (!level) return singly();
  const { statements, count } = planLevels(level, path, asksForRows(selection, form), scope);
  const inBatches = writeThenRead(statements, visible, selection, form, raw(String(count)), scope);
  return { ...inBatches, instead: lazy(singly) };
}

/** Inserts rows without nested data, from any kind of request. `path` is the path of failures. */
export function insertValues(
  visible: VisibleTable,
  rows: readonly RowValues[],
  conflict: Conflict | undefined,
  path: Path,
  selection: Selection,
  form: AnswerForm,
  scope: Scope,
): MutationStep {
  if (rows.length === 0) return nothingWritten(selection, form);
  if (statementSets(visible, rows, conflict).length === 1)
    return writeStep(flatWrite(visible, rows, conflict, path, {}, scope), visible, selection, form, scope);
  const objects = rows.map((row): InsertObject => ({ ...row, before: [], after: [] }));
  return insertSingly(visible, objects, conflict, path, selection, form, scope);
}

function insertSingly(
  visible: VisibleTable,
  objects: readonly InsertObject[],
  conflict: Conflict | undefined,
  path: Path,
  selection: Selection,
  form: AnswerForm,
  scope: Scope,
): WriteStep {
  const asked = { count: asksForCount(selection), rows: asksForRows(selection, form) };
  const { statements, keeping } = planObjects(visible, objects, conflict, path, asked, scope);
  return writeThenRead(
    statements,
    visible,
    selection,
    form,
    keptCount,
    scope,
    keptRows(visible.table, keeping),
  );
}
