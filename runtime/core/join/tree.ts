/** Finds the joins of selections: their positions in the answer, and the levels in which they are resolved. */

import type { Scope } from '../query/scope.ts';
import { remember } from '../remember.ts';
import type { SelectedField, Selection } from '../request/selection.ts';
import { join as joinSql, print, type Sql, sql } from '../sql/fragment.ts';
import {
  hiddenField,
  type JoinField,
  type JoinLevels,
  type JoinRequest,
  type JoinTree,
  type PlannedJoin,
  type ResultForm,
} from './join.ts';
import { encodeKey } from './key.ts';
import { lookUpRows } from './rows.ts';

/** A join with the field that selects it. */
interface FoundJoin {
  readonly planned: PlannedJoin;
  readonly field: SelectedField;
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
  readonly hidden: Map<string, { join: PlannedJoin; index: number }>;
  readonly renamed: Map<string, (name: string) => string>;
}

function emptyTree(): MutableTree {
  return { below: new Map(), tuples: new Map(), hidden: new Map(), renamed: new Map() };
}

function isEmpty({ below, tuples, hidden, renamed }: MutableTree): boolean {
  return below.size + tuples.size + hidden.size + renamed.size === 0;
}

function addSelection(tree: MutableTree, selection: Selection, found: FoundJoin[]): void {
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
  const planned: PlannedJoin = {
    responseName: field.responseName,
    path: field.path,
    handover: join.handover,
    required: target.kind === 'table' && field.definition.type.kind === 'nonNull',
    hidden:
      join.handover === 'tuple' ? [] : join.keys.map((_, index) => hiddenField(selection, field, index)),
    ...(target.kind === 'table' && {
      encode: (values: readonly string[]) => encodeKey(target.visible.table.source, target.columns, values),
    }),
  };
  if (join.handover === 'tuple') tree.tuples.set(field.responseName, planned);
  for (const [index, name] of planned.hidden.entries()) tree.hidden.set(name, { join: planned, index });
  found.push({ planned, field, join });
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
      const statement = print(sql`select ${joinSql(columns, ', ')}`);
      return { kind: 'sql', source, statement, joins, forms };
    }),
    ...[...calls.values()].map((call): JoinRequest => ({ kind: 'call', ...call })),
  ];
}
