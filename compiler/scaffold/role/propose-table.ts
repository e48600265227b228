/** What a role may do with one table, by the ways that lead from it to the owner and the tenant. The safe side first. */
import type { CatalogColumn, CatalogForeignKey, CatalogTable } from '../../../runtime/catalog/catalog.ts';
import type { TableOperation } from '../../../runtime/core/contract/aspects.ts';
import { keyOf } from '../../../runtime/core/names.ts';
import type { Json, JsonObject } from '../../../runtime/metadata/metadata.ts';
import { isSecretName } from '../../review/lint/grants.ts';
import {
  type Anchor,
  bothRules,
  type JoinStep,
  type JoinWay,
  joinStepsOf,
  ownColumn,
  ruleOfWay,
  type ServedTable,
} from './ways.ts';

/** A way that was found, and the anchor to which it leads. */
export interface Tie {
  readonly anchor: Anchor;
  readonly steps: readonly JoinStep[];
}

export interface TableProposal {
  readonly table: ServedTable;
  /** None for a table that stays closed. */
  readonly ties: readonly Tie[];
  /** In the form of the metadata. */
  readonly permissions: Readonly<Partial<Record<TableOperation, JsonObject>>>;
  /** Sentences: why it is closed, what is left out. */
  readonly remarks: readonly string[];
}

/** What is decided about a table before its permissions are. */
export type Decision =
  | { readonly kind: 'open'; readonly ties: readonly Tie[]; readonly readOnly?: string }
  | { readonly kind: 'closed'; readonly why: string; readonly isOwned: boolean };

/** Whether a table is opened, and by which ways. @param ways by anchor, the owner's first */
export function decideTable(
  { key, catalog }: ServedTable,
  ways: readonly (readonly [Anchor, JoinWay])[],
  describe: (step: JoinStep) => string,
): Decision {
  const closed = (why: string, isOwned = true): Decision => ({ kind: 'closed', why, isOwned });
  if (catalog.kind !== 'table' && catalog.kind !== 'partitioned')
    return closed('it is a view or a foreign table: no foreign keys say whose its rows are');
  const own = ways.find(([anchor]) => anchor.table === key);
  const ties: Tie[] = [];
  // The tenant's row is that of all who belong to it.
  for (const [anchor, way] of own?.[0].kind === 'tenant' ? [own] : ways) {
    switch (way.kind) {
      case 'found':
        ties.push({ anchor, steps: way.steps });
        break;
      case 'ambiguous':
        return closed(
          `several ways lead to the ${anchor.kind}; choose one: ${way.choices.map((choice) => `--path ${key}=${choice[0]!.key.name} (${choice.map(describe).join(' → ')})`).join(' or ')}`,
        );
      case 'blocked':
        return closed(
          `its way to the ${anchor.kind} leads through ${way.by}, whose own way has to be chosen first`,
        );
      case 'unnamed':
        return closed(
          `the metadata has no relationship for ${way.step.key.name} of ${way.step.from}, which leads to the ${anchor.kind}`,
        );
      case 'none':
    }
  }
  if (ties.length === 0)
    return closed(`no foreign keys lead to the ${ways.map(([{ kind }]) => kind).join(' or the ')}`, false);
  if (own)
    return {
      kind: 'open',
      ties,
      readOnly: `a session is tied to its row: writing it could raise its rights`,
    };
  if (ways.length > 1 && !ties.some(({ anchor }) => anchor.kind === 'owner'))
    return { kind: 'open', ties, readOnly: 'its rows belong to the tenant, not to the owner' };
  return { kind: 'open', ties };
}

interface Around {
  readonly tables: ReadonlyMap<string, ServedTable>;
  readonly decisions: ReadonlyMap<string, Decision>;
  /** All tables of the database. */
  readonly catalog: readonly CatalogTable[];
}

function rowRule(ties: readonly Tie[]): JsonObject {
  return ties.map(({ anchor, steps }) => ruleOfWay(steps, anchor)).reduce(bothRules);
}

/** The permissions of a table that is opened. */
export function proposeTable(
  table: ServedTable,
  decision: Decision & { kind: 'open' },
  around: Around,
): TableProposal {
  const { ties, readOnly } = decision;
  const rule = rowRule(ties);
  const remarks: string[] = [];
  const { catalog } = table;
  const fields = catalog.columns.filter(({ name }) => table.shape.columns[name]!.field !== null);
  const hidden = fields.filter(({ name }) => isSecretName(name));
  if (hidden.length > 0) remarks.push(`not shown, by their names: ${namesOf(hidden)}`);
  const visible = fields.filter((column) => !hidden.includes(column));
  const nullable = ties
    .flatMap(({ steps }) => steps)
    .find(({ from, key }) => isNullable(around.tables.get(from)!.catalog, key));
  if (nullable)
    remarks.push(
      `rows without ${nullable.key.columns.join(', ')} in ${nullable.from} belong to nobody, and are not shown`,
    );
  if (visible.length === 0)
    return { table, ties: [], permissions: {}, remarks: [...remarks, 'closed: no column is left to show'] };
  const select = { columns: visible.map(({ name }) => name), filter: rule, allow_aggregations: true };
  if (readOnly !== undefined)
    return { table, ties, permissions: { select }, remarks: [...remarks, `only read: ${readOnly}`] };

  const presets = new Map<string, Json>();
  for (const { anchor, steps } of ties) {
    const column = ownColumn(steps, anchor);
    if (column !== undefined) presets.set(column, anchor.variable);
  }
  const keys = new Set(catalog.primaryKey?.columns);
  const writable = fields.filter(
    ({ name, hasDefault, updatable }) =>
      !table.shape.columns[name]!.generated &&
      updatable !== false &&
      !presets.has(name) &&
      !(keys.has(name) && hasDefault),
  );
  const references = referencesOf(table, around, ties);
  /** Columns that may be written, without those of references that no check could hold. */
  const held = (columns: readonly CatalogColumn[]) => {
    const barred = new Set(
      references.flatMap((reference) => (reference.kind === 'unheld' ? reference.columns : [])),
    );
    return columns.filter(({ name }) => !barred.has(name));
  };
  const check = (columns: readonly string[]): JsonObject => {
    const demands = references.flatMap((reference) =>
      reference.kind === 'held' && reference.columns.some((column) => columns.includes(column))
        ? [reference.demand]
        : [],
    );
    return demands.length === 0 ? rule : { ...rule, _and: demands };
  };

  const permissions: Partial<Record<TableOperation, JsonObject>> = { select };
  const insertable = held(writable).filter(
    (column) => !hidden.includes(column) || (column.notNull && !column.hasDefault),
  );
  const missing = catalog.columns.find(
    ({ name, notNull, hasDefault, generated }) =>
      notNull &&
      !hasDefault &&
      !generated &&
      !presets.has(name) &&
      !insertable.some((column) => column.name === name),
  );
  if (!catalog.insertable) remarks.push('no insert: PostgreSQL allows none');
  else if (missing)
    remarks.push(`no insert: "${missing.name}" is required, and no check could hold what it refers to`);
  else if (insertable.length === 0 && presets.size === 0)
    remarks.push('no insert: no column is left to write');
  else {
    const columns = insertable.map(({ name }) => name);
    permissions.insert = {
      columns,
      check: check(columns),
      ...(presets.size > 0 && { set: Object.fromEntries(presets) }),
    };
  }
  const path = new Set(ties.flatMap(({ steps }) => steps[0]?.key.columns ?? []));
  const changeable = held(writable).filter(
    (column) => !keys.has(column.name) && !path.has(column.name) && !hidden.includes(column),
  );
  if (!catalog.updatable || changeable.length === 0) remarks.push('no update: no column is left to change');
  else {
    const columns = changeable.map(({ name }) => name);
    permissions.update = { columns, filter: rule, check: check(columns) };
  }
  const reached = reachedByDelete(table.key, around);
  if (!catalog.deletable) remarks.push('no delete: PostgreSQL allows none');
  else if (reached !== undefined)
    remarks.push(`no delete: it would delete or change rows of ${reached}, which may belong to others`);
  else permissions.delete = { filter: rule };
  for (const reference of references) if (reference.remark !== undefined) remarks.push(reference.remark);
  return { table, ties, permissions, remarks };
}

type Reference = { readonly columns: readonly string[]; readonly remark?: string } & (
  | { readonly kind: 'held'; readonly demand: JsonObject }
  | { readonly kind: 'unheld' | 'free' }
);

/** Foreign keys beside those that tie the row: what has to hold of the rows that they refer to. */
function referencesOf(table: ServedTable, { tables, decisions }: Around, ties: readonly Tie[]): Reference[] {
  const tying = new Set(ties.map(({ steps }) => steps[0]?.key.oid));
  const named = new Map(joinStepsOf(table, tables).map((step) => [step.key.oid, step]));
  return table.catalog.foreignKeys.flatMap((key): Reference[] => {
    if (tying.has(key.oid)) return [];
    const { columns } = key;
    const to = keyOf(key.references);
    const target = decisions.get(to);
    const relationship = named.get(key.oid)?.relationship;
    if (!target || (target.kind === 'closed' && !target.isOwned))
      return [{ kind: 'free', columns, remark: `${columns.join(', ')} may refer to any row of ${to}` }];
    if (target.kind === 'closed' || relationship === undefined)
      return [
        {
          kind: 'unheld',
          columns,
          remark: `${columns.join(', ')} is not written: no rule says which rows of ${to} it may refer to`,
        },
      ];
    const rule: JsonObject = { [relationship]: rowRule(target.ties) };
    const nullable = columns.filter((name) => !columnOf(table.catalog, name).notNull);
    const demand =
      nullable.length === 0
        ? rule
        : { _or: [...nullable.map((name) => ({ [name]: { _is_null: true } })), rule] };
    return [{ kind: 'held', columns, demand }];
  });
}

/** A table whose rows go or change with a row, and are not tied by the key that does so. */
function reachedByDelete(
  table: string,
  { catalog, decisions }: Around,
  seen: readonly string[] = [],
): string | undefined {
  if (seen.includes(table)) return undefined;
  for (const other of catalog)
    for (const key of other.foreignKeys) {
      if (keyOf(key.references) !== table || key.onDelete === undefined) continue;
      const decision = decisions.get(keyOf(other));
      const isTied =
        decision?.kind === 'open' && decision.ties.every(({ steps }) => steps[0]?.key.oid === key.oid);
      if (!isTied) return keyOf(other);
      if (key.onDelete !== 'cascade') continue;
      const further = reachedByDelete(keyOf(other), { catalog, decisions, tables: new Map() }, [
        ...seen,
        table,
      ]);
      if (further !== undefined) return further;
    }
  return undefined;
}

function isNullable(table: CatalogTable, key: CatalogForeignKey): boolean {
  return key.columns.some((name) => !columnOf(table, name).notNull);
}

function columnOf({ columns }: CatalogTable, name: string): CatalogColumn {
  return columns.find((column) => column.name === name)!;
}

function namesOf(columns: readonly CatalogColumn[]): string {
  return columns.map(({ name }) => name).join(', ');
}
