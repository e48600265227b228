/**
 * Mutants: the metadata with one permission weakened, as a mistaken commit would do. Tests of permissions have to notice each.
 */

import type { TableShape } from '../../../runtime/core/contract/shapes.ts';
import { objectKey } from '../../../runtime/core/names.ts';
import { type Vocabulary, vocabularyOf } from '../../../runtime/core/vocabulary.ts';
import type { PermissionKind } from '../../../runtime/metadata/kinds/permission.ts';
import type { TableEntry } from '../../../runtime/metadata/kinds/table.ts';
import type { Json, JsonObject, Metadata } from '../../../runtime/metadata/metadata.ts';
import type { Model, ModelTable } from '../../model/model.ts';
import { expressionEdits, metadataWords } from './expression-edits.ts';
import type { RuleKind } from './subjects.ts';

/** The part that is weakened. */
export type MutantKind = 'rule' | 'column' | 'preset' | 'operation';
export const MUTANT_KINDS: readonly MutantKind[] = ['rule', 'column', 'preset', 'operation'];

export interface Mutant {
  readonly kind: MutantKind;
  readonly role: string;
  readonly source: string;
  readonly table: ModelTable;
  readonly operation: PermissionKind;
  /** Weakened rules only. */
  readonly rule?: RuleKind;
  /** The edit: `without status: { _ne: closed }`. */
  readonly what: string;
  readonly metadata: Metadata;
}

/** A value that a column has in some row, as text; undefined without rows. */
export type ValueOf = (source: string, table: TableShape, column: string) => string | undefined;

/** Any permission, with the keys that some kinds have. */
interface AnyPermission {
  readonly columns?: '*' | readonly string[];
  readonly computed_fields?: readonly string[];
  readonly filter?: JsonObject;
  readonly check?: JsonObject | null;
  readonly check_message?: string;
  readonly set?: JsonObject;
  readonly limit?: number;
  readonly allow_aggregations?: boolean;
  readonly backend_only?: boolean;
  readonly query_root_fields?: readonly string[];
  readonly subscription_root_fields?: readonly string[];
}

type Change = Pick<Mutant, 'kind' | 'what'> & {
  readonly rule?: RuleKind;
  readonly permission: AnyPermission;
};

const OPERATIONS: readonly PermissionKind[] = ['select', 'insert', 'update', 'delete'];

/** The metadata weakened in every way, one edit each. Some of them do not compile, or let nothing more through. */
export function mutantsOf(metadata: Metadata, model: Model, someValue: ValueOf): Mutant[] {
  const vocabulary = vocabularyOf(model.settings);
  return metadata.sources.flatMap((source, sourceIndex) => {
    const tables = model.sources.find(({ shape }) => shape.name === source.name)?.tables ?? [];
    const tableOf = (key: string) => tables.find((table) => table.key === key)?.shape;
    return source.tables.flatMap((entry, tableIndex) => {
      const table = tables.find(({ key }) => key === objectKey(entry.table.schema, entry.table.name));
      if (!table) return [];
      return OPERATIONS.flatMap((operation) =>
        permissionsOf(entry, operation).flatMap(({ role, permission }, index) => {
          const context = {
            vocabulary,
            table,
            tableOf,
            operation,
            value: (name: string) => someValue(source.name, table.shape, name),
          };
          return changes(permission, context).map(
            ({ permission: changed, ...rest }): Mutant => ({
              ...rest,
              role,
              source: source.name,
              table,
              operation,
              metadata: withPermission(metadata, [sourceIndex, tableIndex, operation, index], changed),
            }),
          );
        }),
      );
    });
  });
}

function permissionsOf(
  entry: TableEntry,
  operation: PermissionKind,
): readonly { readonly role: string; readonly permission: AnyPermission }[] {
  return entry[`${operation}_permissions`];
}

function withPermission(
  metadata: Metadata,
  [sourceIndex, tableIndex, operation, index]: readonly [number, number, PermissionKind, number],
  permission: AnyPermission,
): Metadata {
  const key = `${operation}_permissions` as const;
  const source = metadata.sources[sourceIndex]!;
  const entry = source.tables[tableIndex]!;
  const permissions = permissionsOf(entry, operation);
  const changed = { ...entry, [key]: permissions.with(index, { ...permissions[index]!, permission }) };
  return {
    ...metadata,
    sources: metadata.sources.with(sourceIndex, {
      ...source,
      tables: source.tables.with(tableIndex, changed),
    }),
  };
}

interface Context {
  readonly vocabulary: Vocabulary;
  readonly table: ModelTable;
  readonly tableOf: (key: string) => TableShape | undefined;
  readonly operation: PermissionKind;
  /** Some value of a column. */
  readonly value: (column: string) => string | undefined;
}

function changes(permission: AnyPermission, context: Context): Change[] {
  return [
    ...ruleChanges(permission, context),
    ...presetChanges(permission, context),
    ...columnChanges(permission, context),
    ...operationChanges(permission),
  ];
}

function ruleChanges(permission: AnyPermission, { table: { shape }, ...context }: Context): Change[] {
  const { filter, check } = permission;
  const { operation } = context;
  const of = (key: 'filter' | 'check', rule: RuleKind, expression: JsonObject | null | undefined) =>
    expression
      ? expressionEdits({ ...context, shape }, expression).map(
          (edit): Change => ({
            kind: 'rule',
            rule,
            what: edit.what,
            permission: { ...permission, [key]: edit.expression },
          }),
        )
      : [];
  const { check: _, check_message: __, ...unchecked } = permission;
  const checkRule =
    operation === 'insert' || operation === 'delete' ? (`${operation} check` as const) : 'update check';
  return [
    ...of('filter', operation === 'insert' ? 'insert check' : operation, filter),
    ...of('check', checkRule, check),
    ...(operation !== 'insert' && check && Object.keys(check).length > 0
      ? [{ kind: 'rule', rule: checkRule, what: 'without any check', permission: unchecked } as const]
      : []),
  ];
}

function presetChanges(permission: AnyPermission, { table, value }: Context): Change[] {
  const { set = {}, columns } = permission;
  const { columns: known } = table.shape;
  return Object.entries(set).flatMap(([name, preset]): Change[] => {
    const { [name]: _, ...others } = set;
    const given: Change = {
      kind: 'preset',
      what: `${name} given by the client, instead of ${metadataWords(preset!)}`,
      permission: {
        ...permission,
        set: others,
        ...(columns !== undefined && columns !== '*' && { columns: [...new Set([...columns, name])] }),
      },
    };
    const literal = known[name] ? value(name) : undefined;
    return literal === undefined || literal === String(preset)
      ? [given]
      : [
          given,
          {
            kind: 'preset',
            what: `${name} set to ${literal}, instead of ${metadataWords(preset!)}`,
            permission: { ...permission, set: { ...set, [name]: literal } },
          },
        ];
  });
}

const COLUMN_VERBS: Readonly<Record<PermissionKind, string>> = {
  select: 'read',
  insert: 'inserted',
  update: 'updated',
  delete: '',
};

function columnChanges(permission: AnyPermission, { table: { shape }, operation }: Context): Change[] {
  const { columns, computed_fields = [], set = {} } = permission;
  const isWrite = operation !== 'select';
  const hidden =
    columns === undefined || columns === '*'
      ? []
      : Object.entries(shape.columns).flatMap(([name, { generated, readOnly, field }]) =>
          columns.includes(name) ||
          field === null ||
          Object.hasOwn(set, name) ||
          (isWrite && (generated || readOnly))
            ? []
            : [name],
        );
  const computed = isWrite
    ? []
    : Object.keys(shape.computedFields ?? {}).filter((name) => !computed_fields.includes(name));
  return [
    ...hidden.map(
      (name): Change => ({
        kind: 'column',
        what: `${name} may be ${COLUMN_VERBS[operation]}`,
        permission: { ...permission, columns: [...(columns as readonly string[]), name] },
      }),
    ),
    ...computed.map(
      (name): Change => ({
        kind: 'column',
        what: `the computed field ${name} may be read`,
        permission: { ...permission, computed_fields: [...computed_fields, name] },
      }),
    ),
  ];
}

function operationChanges(permission: AnyPermission): Change[] {
  const { limit, query_root_fields: queries, subscription_root_fields: subscriptions } = permission;
  const found: Change[] = [];
  const add = (what: string, changed: AnyPermission) =>
    found.push({ kind: 'operation', what, permission: changed });
  if (permission.backend_only) add('without backend_only', { ...permission, backend_only: false });
  if (permission.allow_aggregations === false)
    add('with allow_aggregations', { ...permission, allow_aggregations: true });
  if (limit !== undefined) {
    const { limit: _, ...rest } = permission;
    add(`without limit: ${limit}`, rest);
  }
  if (queries !== undefined) {
    const { query_root_fields: _, ...rest } = permission;
    add(`without query_root_fields: ${metadataWords(queries as Json)}`, rest);
  }
  if (subscriptions !== undefined) {
    const { subscription_root_fields: _, ...rest } = permission;
    add(`without subscription_root_fields: ${metadataWords(subscriptions as Json)}`, rest);
  }
  return found;
}
