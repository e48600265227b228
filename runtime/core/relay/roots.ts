/** Root fields of the relay API: connections instead of lists, and `node`. */

import type { SourceShape } from '../contract/shapes.ts';
import { functionSource } from '../mutation/function.ts';
import { displayName } from '../names.ts';
import type { Table, TableFunction } from '../program/program.ts';
import type { Requester } from '../program/root-fields.ts';
import { tableRows } from '../query/rows.ts';
import { scopeOf } from '../query/scope.ts';
import { rowEntries } from '../query/select.ts';
import { remember } from '../remember.ts';
import type { RootArguments, Selection } from '../request/selection.ts';
import type { OfferedFields } from '../schema/fields-on-demand.ts';
import { functionRootFields } from '../schema/function-types.ts';
import { offer } from '../schema/offer.ts';
import type { RoleSchema } from '../schema/role-schema.ts';
import { sharedTypes } from '../schema/shared-types.ts';
import { described, type FieldDefinition, nonNull } from '../schema/types.ts';
import { connectionOfRows } from './connection.ts';
import { isNode, nodeField } from './types.ts';

/** The connections of a source. */
export function connectionFields(
  role: RoleSchema,
  source: SourceShape,
  root: 'query' | 'subscription',
): OfferedFields {
  const { name: named } = sharedTypes(source);
  const owners = role.program.rootFields.of(source, root);
  const listOf = new Map([...owners.keys()].map((name) => [named(`${name}_connection`), name]));
  const made = new Map<string, { readonly field: FieldDefinition | undefined }>();
  const make = (name: string): FieldDefinition | undefined => {
    const list = listOf.get(name)!;
    for (const owner of owners.get(list)!.toReversed()) {
      const field =
        'table' in owner
          ? tableConnection(role, owner.table, name, list, root)
          : functionConnection(role, owner.called, name, list, root);
      if (field) return field;
    }
    return undefined;
  };
  const get = (name: string) =>
    listOf.has(name) ? remember(made, name, () => ({ field: make(name) })).field : undefined;
  return {
    get,
    names: () => listOf.keys(),
    none: () => {
      for (const name of listOf.keys()) if (get(name)) return false;
      return true;
    },
  };
}

function tableConnection(
  role: RoleSchema,
  table: Table,
  name: string,
  list: string,
  root: 'query' | 'subscription',
): FieldDefinition | undefined {
  const entry = table.fields.query.get(list);
  const visible = role.table(table);
  // A resolver that was written by hand may allow less.
  if (entry?.field !== 'select' || entry.resolve || !isNode(visible)) return undefined;
  if (offer(table.shape, visible.rules, { kind: 'select', root }, role.backendOnly) !== true)
    return undefined;
  const types = role.types(table);
  const display = displayName(table.shape.schema, table.shape.name);
  return {
    name,
    ...described(entry.description ?? `fetch data from the table: "${display}"`),
    arguments: types.connectionArguments(),
    type: nonNull(types.connection()),
    meaning: {
      kind: 'query',
      source: table.source.name,
      resolve: (selection, args, requester) =>
        connectionOfRows(visible, selection, args, tableRows(visible), scopeOf(requester), rowEntries),
    },
  };
}

function functionConnection(
  role: RoleSchema,
  called: TableFunction,
  name: string,
  list: string,
  root: 'query' | 'subscription',
): FieldDefinition | undefined {
  const entry = called.fields.query.get(list);
  const visible = role.table(called.returns);
  if (entry?.field !== 'function' || entry.resolve || !called.shape.returns.set || !isNode(visible))
    return undefined;
  const plain = functionRootFields(role, called, root).find((field) => field.name === list);
  if (plain?.meaning.kind !== 'query') return undefined;
  const types = role.types(called.returns);
  const own = plain.arguments.get('args');
  const args = types.connectionArguments();
  return {
    ...plain,
    name,
    arguments: own ? new Map([['args', own], ...args]) : args,
    type: nonNull(types.connection()),
    meaning: {
      ...plain.meaning,
      resolve: (selection: Selection, values: RootArguments, requester: Requester) =>
        connectionOfRows(
          visible,
          selection,
          values,
          functionSource(called.shape, values),
          scopeOf(requester),
          rowEntries,
        ),
    },
  };
}

/** `node`, for roles that see any. */
export function nodeFields(role: RoleSchema, root: 'query' | 'subscription'): OfferedFields {
  const has = () => role.program.tables.some((table) => isNode(role.table(table)));
  return {
    get: (name) => (name === 'node' && has() ? nodeField(role, root) : undefined),
    names: () => ['node'],
    none: () => !has(),
  };
}
