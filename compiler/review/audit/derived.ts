/** Paths to a value of a column by what shows, copies, computes or mentions it somewhere else. */
import { columnsOfRule } from '../../../runtime/core/condition/reads.ts';
import { OPERATIONS, textPartsOf } from '../../../runtime/core/contract/aspects.ts';
import { objectKey } from '../../../runtime/core/names.ts';
import type { Table } from '../../../runtime/core/program/program.ts';
import { operationOf } from '../../../runtime/core/schema/offer.ts';
import { servedFunction } from '../../../runtime/core/schema/services.ts';
import { rulesOf } from '../../../runtime/core/schema/visible-table.ts';
import { alike, type Carrier, carriersOf, referringTo } from './carriers.ts';
import { type AccessPath, distinctNames, type PathScope, pathRules, type Via } from './path.ts';
import { rootsOf } from './roots.ts';
import { waysToRows } from './ways.ts';

/** The paths of a role to a column of a table, where it is. */
export type OwnPaths = (scope: PathScope, table: Table, column: string) => readonly AccessPath[];

const VIAS: Readonly<Record<Extract<Carrier, { kind: 'column' }>['from'], Via>> = {
  view: 'view',
  computed: 'computed column',
  default: 'default',
  'same rows': 'same rows',
  reference: 'reference',
};

/** @param own the paths to a column that carries the value */
export function derivedPaths(scope: PathScope, table: Table, column: string, own: OwnPaths): AccessPath[] {
  const { select } = scope.roleSchema.table(table);
  // A role that reads every value knows what refers to them.
  const readsAll = select?.readable.has(column) && select.where === undefined;
  const referring = readsAll ? [] : referringTo(scope.program, table, column);
  return [
    ...carriedPaths(scope, table, column, own),
    ...referring.flatMap(([other, name]) =>
      [...own(scope, other, name), ...carriedPaths(scope, other, name, own)].flatMap((path): AccessPath[] => {
        if (path.access !== 'read') return [];
        const why = `column ${name} of ${other.key} (${path.via}) refers to it: its values are values of it`;
        return [
          { ...path, via: 'reference', possible: true, note: [why, path.note].filter(Boolean).join('; ') },
        ];
      }),
    ),
  ];
}

/** Those by columns that certainly hold the value, or are computed from it. */
export function certainPaths(scope: PathScope, table: Table, column: string, own: OwnPaths): AccessPath[] {
  return carriersOf(scope.program, table, column).flatMap((carrier) =>
    carrier.kind === 'column' && carrier.from !== 'reference' && carrier.from !== 'default'
      ? columnPaths(scope, table, carrier, own).filter(({ possible }) => !possible)
      : [],
  );
}

/** References apart, which lead on. */
function carriedPaths(scope: PathScope, table: Table, column: string, own: OwnPaths): AccessPath[] {
  const shownBy = new Set<Table>();
  const carriers = carriersOf(scope.program, table, column);
  const columns = carriers.flatMap((carrier): AccessPath[] => {
    if (carrier.kind !== 'column' || carrier.from === 'reference') return [];
    const found = columnPaths(scope, table, carrier, own);
    if (found.length > 0 && carrier.from === 'view') shownBy.add(carrier.table);
    return found;
  });
  const others = carriers.flatMap((carrier) =>
    carrier.kind === 'column' ? [] : otherPaths(scope, table, carrier, own, shownBy),
  );
  return [...columns, ...others];
}

function otherPaths(
  scope: PathScope,
  table: Table,
  carrier: Exclude<Carrier, { kind: 'column' }>,
  own: OwnPaths,
  shownBy: ReadonlySet<Table>,
): AccessPath[] {
  switch (carrier.kind) {
    case 'query':
      return queryPaths(scope, carrier, shownBy.has(carrier.table));
    case 'unread column':
      return columnPaths(scope, table, carrier, own);
    case 'computed field':
      return fieldPaths(scope, carrier);
    case 'function': {
      const { entry, unread } = carrier;
      const fields = servedFunction(entry, scope.program).useOf(scope.role) ?? [];
      return possiblePath(scope, 'function', fields, entry.returns, unread ?? mentionedBy(entry.key));
    }
  }
}

function mentionedBy(key: string): string {
  return `the body of ${key} mentions it, or what it calls does`;
}

function columnPaths(
  scope: PathScope,
  { key }: Table,
  carrier: Extract<Carrier, { kind: 'column' | 'unread column' }>,
  own: OwnPaths,
): AccessPath[] {
  const { table, column } = carrier;
  const isUnread = carrier.kind === 'unread column';
  const via = isUnread ? 'default' : VIAS[carrier.from];
  const isShown = via === 'view' || via === 'same rows';
  const isPossible = isUnread || via === 'default';
  const why = {
    view: `the rules of ${key} do not apply`,
    'same rows': `the rules of ${key} do not apply`,
    'computed column': 'it is computed from it, or from a copy',
    default: isUnread ? `it may be computed by ${carrier.unread}` : 'its default looks at it',
  }[via as string]!;
  return own(scope, table, column)
    .filter(({ access }) => access === 'read' || isShown)
    .map((path) => ({
      ...path,
      via,
      ...(isPossible && { possible: true as const }),
      note: [`column ${column} of ${table.key} (${path.via}); ${why}`, path.note].filter(Boolean).join('; '),
    }));
}

function queryPaths(
  scope: PathScope,
  { table, unread }: Extract<Carrier, { kind: 'query' }>,
  isShown: boolean,
): AccessPath[] {
  const select = scope.roleSchema.table(table).select;
  if (!select) return [];
  const computed = [...select.readable.keys()].filter((name) => !table.shape.columns[name]?.origin);
  if (unread !== undefined) {
    if (computed.length === 0) return [];
    return possiblePath(scope, 'view', rowFields(scope, table), table, `${table.key} looks at ${unread}`);
  }
  if (computed.length === 0 && isShown) return [];
  const use = computed.length > 0 ? `computes ${computed.join(', ')}` : 'may choose or order its rows by it';
  return possiblePath(
    scope,
    'view',
    rowFields(scope, table),
    table,
    `the query of ${table.key} mentions it, and ${use}`,
  );
}

/** Fields by which a role comes to rows of the table. */
function rowFields(scope: PathScope, table: Table): string[] {
  const roots = rootsOf(scope.code, scope.role, table);
  const ways = waysToRows(scope, table);
  return [
    ...distinctNames(roots.filter(({ root }) => root !== 'mutation')),
    ...ways.relationships.flatMap(({ fields }) => fields),
    ...ways.computedFields.flatMap(({ fields }) => fields),
    ...ways.functions,
  ];
}

function fieldPaths(
  scope: PathScope,
  { table, field: name, unread }: Extract<Carrier, { kind: 'computed field' }>,
): AccessPath[] {
  const field = scope.roleSchema.table(table).select?.computedFields.find((each) => each.name === name);
  if (!field) return [];
  const { schema, name: called } = field.shape.function;
  return possiblePath(
    scope,
    'computed field',
    [`${table.shape.graphqlName}.${field.field}`],
    table,
    unread ?? mentionedBy(objectKey(schema, called)),
    name,
  );
}

function possiblePath(
  scope: PathScope,
  via: Via,
  fields: readonly string[],
  table: Table,
  note: string,
  cell?: string,
): AccessPath[] {
  if (fields.length === 0) return [];
  const { role } = scope;
  const rules = pathRules(scope, table, 'select', cell);
  return [{ role, access: 'read', via, fields, rules, possible: true, note }];
}

/**
 * Rules that ask for the column, of a role that may not read it: whether a row is seen or a write succeeds tells something of
 * the value.
 */
export function rulePaths(scope: PathScope, table: Table, column: string): AccessPath[] {
  const { role, program, roleSchema } = scope;
  if (roleSchema.table(table).select?.readable.has(column)) return [];
  const keys = new Set(alike(table));
  const asks = (text: string, of: Table) =>
    columnsOfRule(text, of.key).some(([key, name]) => keys.has(key) && name === column);
  return program.tables
    .filter(({ source }) => source === table.source)
    .flatMap((of) => {
      const rules = rulesOf(program.access(of), role);
      return OPERATIONS.flatMap((operation): AccessPath[] => {
        const conditions = textPartsOf(rules[operation] ?? {}).filter(({ part }) => part !== 'preset');
        if (!conditions.some(({ text }) => asks(text, of))) return [];
        const roots = rootsOf(scope.code, role, of);
        const fields =
          operation === 'select'
            ? rowFields(scope, of)
            : distinctNames(roots.filter(({ kind }) => operationOf(kind) === operation));
        return possiblePath(scope, 'rule', fields, of, RULE_NOTES[operation]).map((path) => ({
          ...path,
          rules: pathRules(scope, of, operation),
        }));
      });
    });
}

const RULE_NOTES = {
  select: 'which rows are seen depends on it',
  insert: 'whether a row is accepted depends on it',
  update: 'which rows are changed depends on it',
  delete: 'which rows are deleted depends on it',
} as const;

/** Values of an enum table are names and descriptions in the schema. */
export function enumPaths({ role, program, roleSchema }: PathScope, table: Table): AccessPath[] {
  if (!table.shape.enumValues) return [];
  const fields = program.tables.flatMap((other) =>
    [...other.columns.values()].flatMap(({ name, field, enumTable }) => {
      const { select, insert, update } = roleSchema.table(other);
      const isOffered =
        select?.columns.has(name) || insert?.columns.includes(name) || update?.columns.includes(name);
      return enumTable === table && isOffered ? [`${other.shape.graphqlName}.${field ?? name}`] : [];
    }),
  );
  if (fields.length === 0) return [];
  const note = `its values are in the schema that the role sees, as the enum of these columns`;
  return [{ role, access: 'read', via: 'enum', fields, rules: [], note }];
}
