/** Finds the joins of selections: their positions in the answer, and the levels in which they are resolved. */

import type { Scope } from '../query/scope.ts';
import { remember } from '../remember.ts';
import { isLeaf, type SelectedField, type Selection } from '../request/selection.ts';
import { needsTrees } from '../shards/index.ts';
import { join, type Sql } from '../sql/fragment.ts';
import { print } from '../sql/print.ts';
import { selectStatement } from '../sql/statement.ts';
import {
  hiddenFields,
  type JoinField,
  type JoinLevels,
  type JoinRequest,
  type JoinTree,
  NOTHING_SELECTED,
  type PlannedJoin,
  type ResultForm,
} from './join.ts';
import { encodeKey } from './key.ts';
import { lookUpRows } from './rows.ts';

/** A join with the field that selects it. */
interface FoundJoin {
  readonly planned: PlannedJoin;
  field: SelectedField;
  readonly join: JoinField;
}

export interface JoinPlanner {
  /** Positions of joins in the answer of a root field; undefined without joins. */
  readonly treeOf: (selection: Selection) => JoinTree | undefined;
  /** Plans the joins that were found, level by level; undefined if answers need no change. @throws EngineError */
  readonly levels: () => JoinLevels | undefined;
}

export function createJoinPlanner(scope: Scope): JoinPlanner {
  let found: FoundJoin[] = [];
  let hasTrees = false;
  const treeOf = (selection: Selection): JoinTree | undefined => {
    const tree = emptyTree();
    addSelection(tree, selection, found);
    if (isEmpty(tree)) return undefined;
    hasTrees = true;
    return tree;
  };
  return {
    treeOf,
    levels: () => {
      const levels: (readonly JoinRequest[])[] = [];
      while (found.length > 0) {
        const level = found;
        found = [];
        levels.push(planLevel(level, scope));
        for (const { planned, field } of level) {
          const tree = treeOf(field.selection);
          if (tree) planned.tree = tree;
        }
      }
      return hasTrees ? levels : undefined;
    },
  };
}

interface MutableTree extends JoinTree {
  readonly below: Map<string, MutableTree>;
  readonly tuples: Map<string, PlannedJoin>;
  readonly omitted: Set<string>;
  readonly hidden: Map<string, { join: PlannedJoin; index: number }>;
  readonly renamed: Map<string, (name: string) => string>;
}

function emptyTree(): MutableTree {
  return { below: new Map(), tuples: new Map(), hidden: new Map(), omitted: new Set(), renamed: new Map() };
}

function isEmpty({ below, tuples, hidden, omitted, renamed }: MutableTree): boolean {
  return below.size + tuples.size + hidden.size + omitted.size + renamed.size === 0;
}

function addSelection(tree: MutableTree, selection: Selection, found: FoundJoin[]): void {
  if (!isLeaf(selection) && (selection.items ?? selection.fields).length === 0)
    tree.omitted.add(NOTHING_SELECTED);
  for (const field of selection.fields) {
    const { meaning } = field.definition;
    if (meaning.kind === 'join') addJoin(tree, selection, field, meaning.join, found);
    else if (meaning.kind === 'typename') {
      if (meaning.rename) tree.renamed.set(field.responseName, meaning.rename);
    } else addBelow(tree, field.responseName, field.selection, found);
  }
  for (const narrowed of selection.narrowed ?? []) addSelection(tree, narrowed, found);
}

function addBelow(tree: MutableTree, name: string, selection: Selection, found: FoundJoin[]): void {
  const below = tree.below.get(name) ?? emptyTree();
  addSelection(below, selection, found);
  if (!isEmpty(below)) tree.below.set(name, below);
}

function addJoin(
  tree: MutableTree,
  selection: Selection,
  field: SelectedField,
  join: JoinField,
  found: FoundJoin[],
): void {
  const { target } = join;
  const hidden = join.handover === 'tuple' ? [] : hiddenFields(selection, field, join);
  const [first] = hidden;
  const known = first === undefined ? undefined : tree.hidden.get(first)?.join;
  if (known) {
    // Fragments for several types select it: each object has it once, with all that they select.
    const same = found.find(({ planned }) => planned === known)!;
    same.field = { ...same.field, selection: merged(same.field.selection, field.selection) };
    return;
  }
  const planned: PlannedJoin = {
    responseName: field.responseName,
    path: field.path,
    handover: join.handover,
    required: target.kind === 'table' && field.definition.type.kind === 'nonNull',
    hidden,
    ...encoderOf(target),
  };
  if (join.handover === 'tuple') tree.tuples.set(field.responseName, planned);
  for (const [index, name] of planned.hidden.entries()) tree.hidden.set(name, { join: planned, index });
  found.push({ planned, field, join });
}

/** Two selections of one type that can be merged. */
function merged(left: Selection, right: Selection): Selection {
  if (isLeaf(left)) return left;
  const items: (SelectedField | Selection)[] = [...(left.items ?? left.fields)];
  for (const item of right.items ?? right.fields) {
    const index = items.findIndex((each) => keyOf(each) === keyOf(item));
    const known = items[index];
    if (!known) items.push(item);
    else if ('responseName' in known && 'responseName' in item)
      items[index] = { ...known, selection: merged(known.selection, item.selection) };
    else if (!('responseName' in known) && !('responseName' in item)) items[index] = merged(known, item);
  }
  const fields = items.filter((item): item is SelectedField => 'responseName' in item);
  const { typeName, argumentsPath } = left;
  if (fields.length === items.length) return { typeName, argumentsPath, fields };
  const narrowed = items.filter((item): item is Selection => !('responseName' in item));
  return { typeName, argumentsPath, fields, narrowed, items };
}

/** A response name has no space. */
function keyOf(item: SelectedField | Selection): string {
  return 'responseName' in item ? item.responseName : ` ${item.typeName}`;
}

function encoderOf(target: JoinField['target']): Pick<PlannedJoin, 'encode'> {
  if (target.kind === 'call') return target.encode ? { encode: target.encode } : {};
  return { encode: (values) => encodeKey(target.visible.table.source, target.columns, values) };
}

function planLevel(level: readonly FoundJoin[], scope: Scope): JoinRequest[] {
  const statements = new Map<string, { joins: PlannedJoin[]; columns: Sql[]; forms: ResultForm[] }>();
  const calls = new Map<string, { caller: string; group: string; joins: PlannedJoin[]; parts: unknown[] }>();
  for (const { planned, field, join } of level) {
    const { target } = join;
    if (target.kind === 'table') {
      const own = remember(statements, target.source, () => ({ joins: [], columns: [], forms: [] }));
      const { list, form } = lookUpRows(target, field, own.joins.length, scope);
      own.columns.push(list);
      own.forms.push(form);
      own.joins.push(planned);
    } else {
      const { caller, group } = target;
      const own = remember(calls, `${caller} ${group}`, () => ({ caller, group, joins: [], parts: [] }));
      own.joins.push(planned);
      own.parts.push(target.resolve(field, scope));
    }
  }
  return [
    ...[...statements].map(([source, { joins, columns, forms }]): JoinRequest => {
      const statement = print(
        selectStatement({ columns: join(columns, ', ') }),
        needsTrees(scope.roleSchema),
      );
      return { kind: 'sql', source, statement, joins, forms };
    }),
    ...[...calls.values()].map((call): JoinRequest => ({ kind: 'call', ...call })),
  ];
}
