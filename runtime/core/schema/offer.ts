/**
 * Whether a role is offered a root field of a table, and if not, why. The only answer to that question: schemas, denials,
 * ledgers and `verify` ask here.
 * @rule Is a role offered a root field of a table (`backend_only` included), and if not, why?
 */

import type { TableOperation } from '../contract/aspects.ts';
import type { SelectRule, TableShape } from '../contract/shapes.ts';
import { isNamedKind, type RootFieldKind } from '../program/root-fields.ts';
import { hasTotalComparison } from '../total-comparison.ts';
import { columnType } from '../types.ts';

export type RootKind = 'query' | 'mutation' | 'subscription';

export type Offer = true | Withheld;

interface Withheld {
  readonly operation: TableOperation;
  /** Keys below the permission; absent: the permission as a whole. */
  readonly part?: readonly string[];
  /** Absent: the role has no permission for the operation. */
  readonly why?: string;
}

/** The rules of one role for one table, as far as they decide. */
export interface RoleRules {
  readonly select?: Pick<SelectRule, 'columns' | 'queryRoots' | 'subscriptionRoots'> & {
    readonly aggregations?: boolean;
  };
  readonly insert?: { readonly backendOnly?: boolean };
  readonly update?: {
    readonly columns: readonly string[];
    readonly presets?: object;
    readonly backendOnly?: boolean;
  };
  readonly delete?: { readonly backendOnly?: boolean };
}

/** Requirements beside the permission for the operation itself. */
interface Demand {
  readonly operation: TableOperation;
  /** The answer shows the row. */
  readonly readsRow?: true;
  /** The key is an argument. */
  readonly namesKey?: true;
}

const DEMANDS: Readonly<Record<RootFieldKind, Demand>> = {
  select: { operation: 'select' },
  select_by_pk: { operation: 'select', namesKey: true },
  select_aggregate: { operation: 'select' },
  select_group_by: { operation: 'select' },
  select_stream: { operation: 'select' },
  insert: { operation: 'insert' },
  insert_one: { operation: 'insert', readsRow: true },
  update: { operation: 'update' },
  update_by_pk: { operation: 'update', namesKey: true },
  update_many: { operation: 'update' },
  delete: { operation: 'delete' },
  delete_by_pk: { operation: 'delete', namesKey: true },
};

/** The operation that a root field is for. */
export function operationOf(kind: RootFieldKind): TableOperation {
  return DEMANDS[kind].operation;
}

/** @param trusted whether the caller may use permissions that are for backends only */
export function offer(
  shape: TableShape,
  rules: RoleRules,
  { kind, root }: { readonly kind: RootFieldKind; readonly root: RootKind },
  trusted: boolean,
): Offer {
  const { operation, readsRow, namesKey } = DEMANDS[kind];
  const { select, update } = rules;
  if (operation === 'select') {
    if (!select) return { operation };
    const [roots, part] =
      root === 'subscription'
        ? [select.subscriptionRoots, 'subscription_root_fields']
        : [select.queryRoots, 'query_root_fields'];
    const named = isNamedKind(kind) ? kind : 'select_aggregate';
    if (roots && !roots.some((each) => each === named))
      return { operation, part: [part], why: `the permission does not offer ${named}` };
    if (named === 'select_aggregate' && !select.aggregations)
      return { operation, part: ['allow_aggregations'], why: 'the permission allows no aggregations' };
    if (kind === 'select_group_by' && !select.columns.some((name) => isGroupKey(shape, name)))
      return { operation, part: ['columns'], why: 'the permission leaves no column to group by' };
    if (kind === 'select_stream' && !select.columns.some((name) => isNamed(shape, name)))
      return { operation, part: ['columns'], why: 'the permission leaves no column to read' };
  } else {
    const write = offerOfWrite(shape, rules, operation, trusted);
    if (write !== true) return write;
    if (operation === 'update' && !update!.columns.some((name) => isUpdatable(shape, update!, name)))
      return { operation, part: ['columns'], why: 'the permission leaves no column to update' };
  }
  if ((readsRow || namesKey) && !select) return { operation: 'select' };
  const key = shape.primaryKey?.columns ?? [];
  const unreadable = key.filter((name) => !select?.columns.includes(name) || !isNamed(shape, name));
  if (namesKey && (key.length === 0 || unreadable.length > 0)) {
    const why = `the permission does not cover the primary key: ${unreadable.join(', ')}`;
    return { operation: 'select', part: ['columns'], why };
  }
  return true;
}

/** Whether a role may write rows of a table at all. */
export function offerOfWrite(
  shape: TableShape,
  rules: RoleRules,
  operation: Exclude<TableOperation, 'select'>,
  trusted: boolean,
): Offer {
  const rule = rules[operation];
  if (!rule) return { operation };
  if (rule.backendOnly && !trusted)
    return { operation, part: ['backend_only'], why: 'the permission is for backends only' };
  if (shape.readOnly?.includes(operation))
    return { operation, why: `Postgres takes no ${operation} on this view` };
  return true;
}

/** Whether a column has a GraphQL field. */
function isNamed({ columns }: TableShape, name: string): boolean {
  return Object.hasOwn(columns, name) && columns[name]!.field !== null;
}

/** Whether a column has a GraphQL field, and values that Postgres can group by without an error. */
function isGroupKey(shape: TableShape, name: string): boolean {
  return isNamed(shape, name) && hasTotalComparison(columnType(shape.source, shape.columns[name]!.type));
}

function isUpdatable(
  shape: TableShape,
  { presets = {} }: { readonly presets?: object },
  name: string,
): boolean {
  if (!isNamed(shape, name) || Object.hasOwn(presets, name)) return false;
  const { generated, readOnly } = shape.columns[name]!;
  return !generated && !readOnly;
}
