/** Updates. */
import { EngineError } from '../errors.ts';
import type { Column } from '../program.ts';
import { objectOf } from '../query/comparison.ts';
import { presetValue } from '../query/mark.ts';
import { listParameter, type Scope, scopeOf, strictParameter, valueParameter } from '../query/scope.ts';
import { keyCondition, whereCondition } from '../query/where.ts';
import type { InputNode, Selection } from '../request/selection.ts';
import type { TableCall } from '../root-fields.ts';
import { UPDATE_OPERATORS, type UpdateOperator } from '../schema/mutation-types.ts';
import { fixedType, sharedTypes } from '../schema/shared-types.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import { EVERY_ROW } from '../shapes.ts';
import { identifier, join, raw, type Sql, sql } from '../sql/fragment.ts';
import { markedCheck } from './check.ts';
import { ruleCondition, whereClause } from './delete.ts';
import { argumentsItem, asking, inputSource, question } from './input-validation.ts';
import type { MutationStep, WriteStatement } from './step.ts';
import { type AnswerForm, nothingWritten, writeStep } from './written.ts';

type Arguments = ReadonlyMap<string, InputNode>;

/** Resolver of `update_<t>`: the rows that the rule and `where` allow. */
export function updateRows({ of, requester, selection, args }: TableCall): MutationStep {
  const scope = scopeOf(requester);
  const visible = scope.roleSchema.of(of);
  const step = updateWhere(visible, args, selection, selection.argumentsPath, scope);
  return asking(step, question(visible, 'update', [argumentsItem(args)]));
}

/** Resolver of `update_<t>_by_pk`. */
export function updateRow({ of, requester, selection, args }: TableCall): MutationStep {
  const scope = scopeOf(requester);
  const visible = scope.roleSchema.of(of);
  const alias = scope.alias(visible.table.shape.name);
  const key = args.get(argumentName(visible)('pk_columns'));
  const conditions = keyCondition(visible, alias, key?.kind === 'object' ? key.fields : new Map());
  const step = change(visible, alias, conditions, args, selection, 'row', selection.argumentsPath, scope);
  return asking(step, question(visible, 'update', [argumentsItem(args)]));
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
  const answers = steps.map((step) => {
    if (step.kind === 'constant') return [step.text];
    const before = statements.length;
    statements.push(...step.statements);
    return step.answer.map((part) => (typeof part === 'number' ? part + before : part));
  });
  const answer = answers.flatMap((parts, index) => (index === 0 ? parts : [',', ...parts]));
  if (statements.length === 0) return { kind: 'constant', text: `[${answer.join('')}]` };
  const step: MutationStep = { kind: 'write', statements, answer: ['[', ...answer, ']'] };
  return asking(step, question(visible, 'update', entries.map(inputSource)));
}

function updateWhere(
  visible: VisibleTable,
  args: Arguments,
  selection: Selection,
  path: string,
  scope: Scope,
): MutationStep {
  const alias = scope.alias(visible.table.shape.name);
  return change(
    visible,
    alias,
    [whereCondition(args.get('where'), alias, visible, scope, ruleCondition(visible, 'update', alias))],
    args,
    selection,
    'object',
    path,
    scope,
  );
}

function argumentName(visible: VisibleTable): (name: string) => string {
  return sharedTypes(visible.table.source).name;
}

function change(
  visible: VisibleTable,
  alias: Sql,
  conditions: readonly Sql[],
  args: Arguments,
  selection: Selection,
  form: AnswerForm,
  path: string,
  scope: Scope,
): MutationStep {
  return changeRows(
    visible,
    alias,
    conditions,
    givenAssignments(visible, args, path),
    selection,
    form,
    scope,
  );
}

/** One column's change. GraphQL has no `multiply` and no `default`; the legacy data operations do. */
export type Assignment =
  | { readonly column: Column; readonly operator: UpdateOperator | 'multiply'; readonly value: InputNode }
  | { readonly column: Column; readonly operator: 'default' };

/** Updates the rows that fulfil the role's rule and the conditions on the alias; undefined without a change. */
export function changeRows(
  visible: VisibleTable,
  alias: Sql,
  conditions: readonly Sql[],
  given: readonly Assignment[],
  selection: Selection,
  form: AnswerForm,
  scope: Scope,
): MutationStep {
  const rule = visible.update!;
  const assignments = [
    ...given.map((each) => sql`${identifier(each.column.name)} = ${assigned(each, alias)}`),
    ...presetAssignments(visible),
  ];
  if (assignments.length === 0) return nothingWritten(selection, form);
  const where = whereClause([...ruleCondition(visible, 'update', alias), ...conditions]);
  const statement = sql`update ${visible.table.sql} as ${alias} set ${join(assignments, ', ')}${where}`;
  const check = markedCheck(visible, 'update', rule.check ?? EVERY_ROW, alias);
  return writeStep(
    { statement, alias, check, path: '$', source: visible.table.source },
    visible,
    selection,
    form,
    scope,
  );
}

/** `"column" = <rule expression>` for each preset of updates. */
export function presetAssignments(visible: VisibleTable): Sql[] {
  return Object.keys(visible.update?.presets ?? {}).map(
    (name) => sql`${identifier(name)} = ${presetValue(visible, 'update', name)}`,
  );
}

/** The changes that the arguments ask for. @throws EngineError when two operators name one column */
function givenAssignments(visible: VisibleTable, args: Arguments, path: string): Assignment[] {
  const name = argumentName(visible);
  const assignments: Assignment[] = [];
  const seen = new Set<string>();
  const twice: string[] = [];
  for (const operator of UPDATE_OPERATORS) {
    const node = args.get(name(operator.name));
    if (!node || node.kind === 'null') continue;
    const object = objectOf(node);
    const definitions = object.type.fields();
    for (const [field, value] of object.fields) {
      const { meaning } = definitions.get(field)!;
      if (meaning.kind !== 'column') throw new Error(`an update has no ${meaning.kind}`);
      const { column } = meaning.column;
      if (seen.has(column.name)) twice.push(field);
      seen.add(column.name);
      assignments.push({ column, operator: operator.name, value });
    }
  }
  if (twice.length > 0) {
    const list = twice.map((field) => `'${field}'`).join(', ');
    throw new EngineError('validation-failed', `Column found in multiple operators: [${list}].`, { path });
  }
  return assignments;
}

function assigned(assignment: Assignment, alias: Sql): Sql {
  if (assignment.operator === 'default') return raw('default');
  const { operator, column, value } = assignment;
  const current = sql`${alias}.${identifier(column.name)}`;
  switch (operator) {
    case '_set':
      return valueParameter(value, column.type);
    case '_inc':
      return sql`${current} + ${valueParameter(value, column.type)}`;
    case '_append':
      return sql`${current} || ${valueParameter(value, column.type)}`;
    case '_prepend':
      return sql`${valueParameter(value, column.type)} || ${current}`;
    case '_delete_key':
      return sql`${current} - ${value.kind === 'null' ? raw('null::text') : strictParameter(value, 'text')}`;
    case '_delete_elem':
      return sql`${current} - ${value.kind === 'null' ? raw('null::integer') : strictParameter(value, 'integer')}`;
    case '_delete_at_path':
      return sql`${current} #- ${value.kind === 'null' ? raw('null::text[]') : listParameter(value, fixedType('text'))}`;
    case 'multiply':
      return sql`${current} * ${valueParameter(value, column.type)}`;
  }
}
