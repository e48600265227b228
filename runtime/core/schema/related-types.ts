/**
 * Input types of changes of related rows in updates, which are an extension of the API that is off by default.
 * @rule Which related rows may an update change?
 */

import type { SourceShape, TableShape } from '../contract/shapes.ts';
import { displayName } from '../names.ts';
import { lazy, remember } from '../remember.ts';
import { isDistributed } from '../shards/index.ts';
import type { MutationTypes } from './mutation-types.ts';
import { offer, type RoleRules } from './offer.ts';
import type { RoleSchema } from './role-schema.ts';
import { sharedTypes } from './shared-types.ts';
import {
  type ArgumentDefinition,
  byName,
  type InputFieldDefinition,
  type InputType,
  listOf,
  nonNull,
} from './types.ts';
import type { VisibleTable } from './visible-table.ts';

/** What a role may do with related rows, each as with the rows of the table by a root field. */
export const RELATED_OPERATIONS = ['delete', 'update', 'insert'] as const;
export type RelatedOperation = (typeof RELATED_OPERATIONS)[number];

/** Whether tables of a source have the extension: not where Citus spreads them over several nodes. */
export function hasNestedUpdates(source: SourceShape): boolean {
  return source.extensions?.includes('nested_updates') === true && !isDistributed(source);
}

/**
 * The operations that a role may apply to rows of a table along relationships of a kind. Rows behind an object relationship
 * can only be updated.
 * @param trusted whether the caller may use permissions that are for backends only
 */
export function relatedOperations(
  { shape, rules }: { readonly shape: TableShape; readonly rules: RoleRules },
  kind: 'object' | 'array',
  trusted: boolean,
): readonly RelatedOperation[] {
  if (!hasNestedUpdates(shape.source)) return [];
  const operations = kind === 'object' ? (['update'] as const) : RELATED_OPERATIONS;
  return operations.filter(
    (operation) => offer(shape, rules, { kind: operation, root: 'mutation' }, trusted) === true,
  );
}

function operationsOf({ table: { shape }, rules }: VisibleTable, kind: 'object' | 'array', role: RoleSchema) {
  return relatedOperations({ shape, rules }, kind, role.backendOnly);
}

/** The argument `related` of updates of a table; empty where the role may change no related rows. */
export function relatedArgument(
  visible: VisibleTable,
  role: RoleSchema,
  typesOf: TypesOf,
): ArgumentDefinition[] {
  const type = relatedInput(visible, role, typesOf);
  return type ? [{ name: 'related', description: 'changes of rows related to the updated rows', type }] : [];
}

type TypesOf = (visible: VisibleTable) => MutationTypes;

function relatedInput(visible: VisibleTable, role: RoleSchema, typesOf: TypesOf): InputType | undefined {
  const { table } = visible;
  const offered = [...table.relationships.values()].flatMap((relationship) => {
    const target = visible.of(relationship.target);
    const operations = operationsOf(target, relationship.shape.kind, role);
    return operations.length > 0 ? [{ relationship, target, operations }] : [];
  });
  if (offered.length === 0) return undefined;
  return {
    kind: 'input',
    name: table.names.derived('related_update_input'),
    description: `input type for changing rows related to updated rows of table "${displayName(table.shape.schema, table.shape.name)}"`,
    fields: lazy(() =>
      byName<InputFieldDefinition>(
        offered.map(({ relationship, target }) => ({
          name: relationship.field,
          type: changesInput(target, relationship.shape.kind, role, typesOf),
          meaning: { kind: 'relatedChanges', relationship, visible: target },
        })),
      ),
    ),
  };
}

const caches = {
  object: new WeakMap<VisibleTable, InputType>(),
  array: new WeakMap<VisibleTable, InputType>(),
};

/** The changes along a relationship of a kind to a table. */
function changesInput(
  target: VisibleTable,
  kind: 'object' | 'array',
  role: RoleSchema,
  typesOf: TypesOf,
): InputType {
  return remember(caches[kind], target, () => {
    const { table } = target;
    const types = typesOf(target);
    const operations = operationsOf(target, kind, role);
    const fields: Readonly<Record<RelatedOperation, () => Omit<InputFieldDefinition, 'name' | 'meaning'>>> = {
      delete: () => ({ description: 'deletes related rows, first of all', type: deleteInput(target, role) }),
      update: () =>
        kind === 'object'
          ? { description: 'updates the related row', type: rowUpdate(target, role, types) }
          : {
              description: 'updates related rows, in order, after deletions',
              type: listOf(nonNull(types.updates())),
            },
      insert: () => ({ description: 'inserts related rows, last of all', type: insertInput(target, types) }),
    };
    return {
      kind: 'input',
      name: table.names.derived(kind === 'object' ? 'obj_rel_update_input' : 'arr_rel_update_input'),
      description: `input type for changing rows of table "${displayName(table.shape.schema, table.shape.name)}" by ${kind} relations`,
      fields: lazy(() =>
        byName<InputFieldDefinition>(
          operations.map((name) => ({ name, ...fields[name](), meaning: { kind: 'plain' } })),
        ),
      ),
    };
  });
}

function deleteInput(target: VisibleTable, role: RoleSchema): InputType {
  const type = nonNull(role.types(target.table).booleanExpression());
  return plainInput(target, 'related_delete_input', [
    { name: 'where', description: 'filter the rows which have to be deleted', type },
  ]);
}

function rowUpdate(target: VisibleTable, role: RoleSchema, types: MutationTypes): InputType {
  const type = role.types(target.table).booleanExpression();
  return plainInput(target, 'obj_rel_updates', [
    ...types.updateOperators(),
    ...types.related(),
    { name: 'where', description: 'condition on the row which has to be updated', type },
  ]);
}

/** Rows without nested ones: there may be several rows that they are inserted for. */
function insertInput(target: VisibleTable, types: MutationTypes): InputType {
  const { name } = sharedTypes(target.table.source);
  const row: InputType = {
    kind: 'input',
    name: target.table.names.derived('related_row_input'),
    description: 'the columns of a new row; those of the relationship are filled in',
    fields: lazy(() => byName(types.insertColumns())),
  };
  const conflict = types.onConflict();
  return plainInput(target, 'related_insert_input', [
    { name: 'data', description: 'the rows to be inserted', type: nonNull(listOf(nonNull(row))) },
    ...(conflict ? [{ name: name('on_conflict'), description: 'upsert condition', type: conflict }] : []),
  ]);
}

function plainInput(
  { table }: VisibleTable,
  suffix: string,
  fields: readonly ArgumentDefinition[],
): InputType {
  return {
    kind: 'input',
    name: table.names.derived(suffix),
    fields: lazy(() => byName(fields.map((field) => ({ ...field, meaning: { kind: 'plain' as const } })))),
  };
}
