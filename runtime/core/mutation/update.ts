/** Updates. */
import type { Path } from '../errors.ts';
import type { TableCall } from '../program/root-fields.ts';
import { objectOf } from '../query/comparison.ts';
import { type Scope, scopeOf } from '../query/scope.ts';
import { keyCondition, whereCondition } from '../query/where.ts';
import type { Selection } from '../request/selection.ts';
import { largerSize, type OperationSize } from '../request/size.ts';
import { sharedTypes } from '../schema/shared-types.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import type { Sql } from '../sql/fragment.ts';
import { type Arguments, type Assignment, updateWrite } from './assignments.ts';
import { ruleCondition } from './delete.ts';
import { asking } from './input-validation.ts';
import { readUpdate, updateQuestions } from './related.ts';
import type { MutationStep, WriteStatement } from './step.ts';
import { type Conditions, updateTree } from './update-related.ts';
import { type AnswerForm, nothingWritten, writeStep } from './written.ts';

/** Resolver of `update_<t>`: the rows that the rule and `where` allow. */
export function updateRows({ of, requester, selection, args }: TableCall): MutationStep {
  const scope = scopeOf(requester);
  const visible = scope.roleSchema.of(of);
  const step = updateWhere(visible, args, selection, selection.argumentsPath, scope);
  return asking(step, updateQuestions(visible, [args]));
}

/** Resolver of `update_<t>_by_pk`. */
export function updateRow({ of, requester, selection, args }: TableCall): MutationStep {
  const scope = scopeOf(requester);
  const visible = scope.roleSchema.of(of);
  const key = args.get(sharedTypes(visible.table.source).name('pk_columns'));
  const fields: Arguments = key?.kind === 'object' ? key.fields : new Map();
  const conditions: Conditions = (alias) => keyCondition(visible, alias, fields);
  const step = change(visible, conditions, args, selection, 'row', selection.argumentsPath, scope);
  return asking(step, updateQuestions(visible, [args]));
}

/** Resolver of `update_<t>_many`: the entries in order, each seeing what the ones before did. */
export function updateMany({ of, requester, selection, args }: TableCall): MutationStep {
  const scope = scopeOf(requester);
  const visible = scope.roleSchema.of(of);
  const node = args.get('updates');
  const entries = node?.kind === 'list' ? node.items : [];
  const steps = entries.map((entry) =>
    updateWhere(visible, objectOf(entry).fields, selection, entry.path, scope),
  );
  const statements: WriteStatement[] = [];
  let size: OperationSize | undefined;
  const answers = steps.map((step) => {
    if (step.kind === 'constant') return [step.text];
    const before = statements.length;
    statements.push(...step.statements);
    size = largerSize(size, step.size);
    return step.answer.map((part) => (typeof part === 'number' ? part + before : part));
  });
  const answer = answers.flatMap((parts, index) => (index === 0 ? parts : [',', ...parts]));
  if (statements.length === 0) return { kind: 'constant', text: `[${answer.join('')}]` };
  const step: MutationStep = {
    kind: 'write',
    statements,
    answer: ['[', ...answer, ']'],
    ...(size && { size }),
  };
  return asking(
    step,
    updateQuestions(
      visible,
      entries.map((entry) => objectOf(entry).fields),
    ),
  );
}

function updateWhere(
  visible: VisibleTable,
  args: Arguments,
  selection: Selection,
  path: Path,
  scope: Scope,
): MutationStep {
  const conditions: Conditions = (alias, scope) => [
    whereCondition(args.get('where'), alias, visible, scope, ruleCondition(visible, 'update', alias)),
  ];
  return change(visible, conditions, args, selection, 'object', path, scope);
}

function change(
  visible: VisibleTable,
  conditions: Conditions,
  args: Arguments,
  selection: Selection,
  form: AnswerForm,
  path: Path,
  scope: Scope,
): MutationStep {
  const tree = readUpdate(visible, args, path);
  if (tree.related.length > 0) return updateTree(visible, conditions, tree, selection, form, scope);
  const alias = scope.alias(visible.table.shape.name);
  return changeRows(visible, alias, conditions(alias, scope), tree.assignments, selection, form, scope);
}

/** Updates the rows that fulfil the role's rule and the conditions on the alias. */
export function changeRows(
  visible: VisibleTable,
  alias: Sql,
  conditions: readonly Sql[],
  given: readonly Assignment[],
  selection: Selection,
  form: AnswerForm,
  scope: Scope,
): MutationStep {
  const write = updateWrite(visible, alias, conditions, given);
  return write ? writeStep(write, visible, selection, form, scope) : nothingWritten(selection, form);
}
