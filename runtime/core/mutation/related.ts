/**
 * Changes of related rows in an update: what the argument `related` asks for, taken apart. The rows that an update wrote, or
 * chose where it changes nothing itself, are kept for the changes of the rows related to them (see update-related.ts).
 */
import { EngineError, type Path } from '../errors.ts';
import type { Relationship } from '../program/program.ts';
import { objectOf } from '../query/comparison.ts';
import type { InputNode } from '../request/selection.ts';
import type { OperationSize } from '../request/size.ts';
import { sharedTypes } from '../schema/shared-types.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import { type Arguments, type Assignment, givenAssignments } from './assignments.ts';
import { type Conflict, conflictOf } from './conflict.ts';
import { argumentsItem, inputSource, question } from './input-validation.ts';
import { type RowValues, readObjects } from './insert-objects.ts';
import { insertQuestions } from './insert-questions.ts';
import type { InputQuestion } from './step.ts';

/** An update with the changes of rows that are related to its rows. */
export interface UpdateTree {
  readonly path: Path;
  readonly assignments: readonly Assignment[];
  readonly related: readonly RelatedChanges[];
}

/** All changes along one relationship: deletions first, then updates in order, then inserts. */
export interface RelatedChanges {
  readonly relationship: Relationship;
  /** The target. */
  readonly visible: VisibleTable;
  readonly delete: { readonly where: InputNode | undefined; readonly path: Path } | undefined;
  readonly updates: readonly RelatedUpdate[];
  readonly insert:
    | {
        readonly rows: readonly RowValues[];
        readonly conflict: Conflict | undefined;
        readonly path: Path;
      }
    | undefined;
}

interface RelatedUpdate extends UpdateTree {
  readonly where: InputNode | undefined;
}

/**
 * Reads the arguments of an update.
 * @param path the path of its failures
 * @throws EngineError validation-failed
 */
export function readUpdate(visible: VisibleTable, args: Arguments, path: Path): UpdateTree {
  return {
    path,
    assignments: givenAssignments(visible, args, path),
    related: readRelated(visible, args.get('related')),
  };
}

/** The relationships in the order of the request; without those along which nothing is asked for. */
function readRelated(visible: VisibleTable, node: InputNode | undefined): RelatedChanges[] {
  return relationshipsOf(visible, node).flatMap(([relationship, target, fields]): RelatedChanges[] => {
    const removal = objectAt(fields, 'delete');
    const changes: RelatedChanges = {
      relationship,
      visible: target,
      delete: removal && { where: removal.fields.get('where'), path: removal.path },
      updates: itemsAt(fields, 'update').map((item) => ({
        ...readUpdate(target, objectOf(item).fields, item.path),
        where: objectOf(item).fields.get('where'),
      })),
      insert: readInsert(relationship, target, fields),
    };
    return changes.delete || changes.updates.length > 0 || changes.insert ? [changes] : [];
  });
}

function readInsert(
  relationship: Relationship,
  target: VisibleTable,
  fields: Arguments,
): RelatedChanges['insert'] {
  const node = objectAt(fields, 'insert');
  const items = node ? itemsAt(node.fields, 'data') : [];
  if (!node || items.length === 0) return undefined;
  const rows = readObjects(items, target);
  const theirs = relationship.columns.map(([, column]) => column.name);
  for (const { values, path } of rows) {
    const twice = theirs.filter((name) => values.has(name));
    if (twice.length > 0)
      throw new EngineError(
        'validation-failed',
        `cannot insert ${twice.map((name) => `"${name}"`).join(', ')} columns as their values are already being determined by the related row`,
        { path },
      );
  }
  const conflict = conflictOf(node.fields.get(sharedTypes(target.table.source).name('on_conflict')), target);
  return { rows, conflict, path: node.fields.get('data')!.path };
}

/** Each relationship that `related` names, with its target and what is asked of it. */
function relationshipsOf(
  visible: VisibleTable,
  node: InputNode | undefined,
): (readonly [Relationship, VisibleTable, Arguments])[] {
  if (node?.kind !== 'object') return [];
  const definitions = node.type.fields();
  return [...node.fields].flatMap(([name, value]) => {
    const { meaning } = definitions.get(name)!;
    if (meaning.kind !== 'relatedChanges') throw new Error(`related rows have no ${meaning.kind}`);
    if (value.kind === 'null') return [];
    return [[meaning.relationship, visible.of(meaning.relationship.target), objectOf(value).fields] as const];
  });
}

/** Null counts as absent. */
function objectAt(fields: Arguments, name: string): Extract<InputNode, { kind: 'object' }> | undefined {
  const node = fields.get(name);
  return node?.kind === 'object' ? node : undefined;
}

function itemsAt(fields: Arguments, name: string): readonly InputNode[] {
  const node = fields.get(name);
  if (!node || node.kind === 'null') return [];
  return node.kind === 'list' ? node.items : [node];
}

/** The size of the changes for limits of roles: each statement about related rows is a node, a level below its update. */
export function relatedSize(related: readonly RelatedChanges[]): OperationSize {
  let [depth, nodes] = [0, 0];
  for (const changes of related) {
    depth = Math.max(depth, 1);
    nodes += (changes.delete ? 1 : 0) + (changes.insert ? changes.insert.rows.length : 0);
    for (const update of changes.updates) {
      const below = relatedSize(update.related);
      depth = Math.max(depth, below.depth + 1);
      nodes += below.nodes + 1;
    }
  }
  return { depth, nodes };
}

/**
 * The questions to webhooks about an update: its own, then those about related rows in the order of their statements. A
 * permission that is asked more than once gets one question.
 * @param items the inputs of the update itself, with the arguments that hold its related changes
 */
export function updateQuestions(visible: VisibleTable, items: readonly Arguments[]): InputQuestion[] {
  const questions: InputQuestion[] = [];
  const visit = (of: VisibleTable, updates: readonly Arguments[]) => {
    questions.push(...question(of, 'update', updates.map(argumentsItem)));
    for (const update of updates) {
      for (const [, target, fields] of relationshipsOf(of, update.get('related'))) {
        const removal = objectAt(fields, 'delete');
        if (removal) questions.push(...question(target, 'delete', [inputSource(removal)]));
        const inner = itemsAt(fields, 'update').map((item) => objectOf(item).fields);
        if (inner.length > 0) visit(target, inner);
        const insert = objectAt(fields, 'insert');
        const rows = insert ? itemsAt(insert.fields, 'data') : [];
        const conflict = insert?.fields.get(sharedTypes(target.table.source).name('on_conflict'));
        if (rows.length > 0) questions.push(...insertQuestions(target, rows, conflict));
      }
    }
  };
  visit(visible, items);
  return merged(questions);
}

function merged(questions: readonly InputQuestion[]): InputQuestion[] {
  const byRule = new Map<string, InputQuestion>();
  for (const each of questions) {
    const known = byRule.get(each.rule);
    const items = [known, each].flatMap((one) => (one?.input.from === 'list' ? one.input.items : []));
    byRule.set(each.rule, { ...each, input: { from: 'list', items } });
  }
  return [...byRule.values()];
}
