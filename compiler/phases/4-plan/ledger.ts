/**
 * Ledgers: the rights of a role, grouped by table, one fact a line (columns of an operation are one), so that a difference
 * between two versions reads as a change of rights. Root fields follow from the facts and are named only where a permission withholds one.
 */
import type { ActionShape, CustomTypesShape } from '../../../runtime/core/action/shapes.ts';
import { type ByAspect, eachAspect, OPERATIONS, ruleOf } from '../../../runtime/core/contract/aspects.ts';
import type { EventsProgram } from '../../../runtime/core/contract/events.ts';
import {
  type FunctionShape,
  inferableKeys,
  type TableShape,
  type UpdateRule,
} from '../../../runtime/core/contract/shapes.ts';
import { displayName } from '../../../runtime/core/names.ts';
import { type DeletionEffects, deletionOf } from '../../../runtime/core/program/deletions.ts';
import {
  actionFacts,
  eventFacts,
  functionFacts,
  limitFacts,
  nameText,
  type RoleFact,
  roleFactText,
} from '../../../runtime/core/program/facts.ts';
import type { RootFieldKind } from '../../../runtime/core/program/root-fields.ts';
import { remoteFacts } from '../../../runtime/core/remotes/facts.ts';
import type { RemoteSchemaShape } from '../../../runtime/core/remotes/shapes.ts';
import type { SavedOptions } from '../../../runtime/core/saved/saved.ts';
import { offer, operationOf, type RootKind } from '../../../runtime/core/schema/offer.ts';
import { hasNestedUpdates } from '../../../runtime/core/schema/related-types.ts';
import type { Memory } from '../../memory/memory.ts';
import { reuse } from '../../memory/reuse.ts';
import type {
  Model,
  ModelDeletePermission,
  ModelFunction,
  ModelInsertPermission,
  ModelSelectPermission,
  ModelTable,
  ModelUpdatePermission,
  TablePermissions,
} from '../../model/model.ts';
import type { Ledger, PlannedSource, PlannedTable } from '../../model/plan.ts';
import { addRelated, addRelationships } from './ledger-relationships.ts';
import type { SavedRuns } from './saved-allowlist.ts';
import { conditionWords, valueWords } from './words.ts';

type Add = (role: string, fact: string) => void;
/** Lines about one table or service, by role: what it is, then the facts, sorted. */
type Lines = ReadonlyMap<string, readonly string[]>;

/**
 * The ledgers of all roles that have a permission.
 * @param planned the sources of the model, as they are planned
 * @param shardFacts lines about what Citus makes of a role's operations
 */
export function planLedgers(
  model: Model,
  planned: readonly PlannedSource[],
  events: EventsProgram,
  options: Pick<SavedOptions, 'inferFunctionPermissions'>,
  runs: () => SavedRuns,
  memory: Memory,
  shardFacts: (role: string) => readonly string[] = () => [],
): Ledger[] {
  const parts = model.sources.flatMap((source, index) => {
    const tables = new Map(source.tables.map((table) => [table.key, table]));
    const plans = new Map(source.tables.map(({ key }, at) => [key, planned[index]!.tables[at]!]));
    const shapes = new Map(source.tables.map(({ key, shape }) => [key, shape]));
    return [
      ...source.tables.map((table) => {
        const isDeleted = Object.keys(table.permissions.delete).length > 0;
        const deletion = isDeleted ? deletionWords(deletionOf(table.key, shapes)) : undefined;
        const plan = plans.get(table.key)!;
        const targets = targetsOf(table, plans);
        const changed = changedWith(table, tables);
        return memory.update(
          tableLines,
          table.shape,
          table,
          plan,
          targets,
          changed,
          deletion,
          source.shape.name,
        );
      }),
      ...source.functions.map((each) => {
        const readers = tables.get(each.shape.returns.table)?.permissions.select ?? NO_READERS;
        const { exposedAs, roles } = each;
        const { inferFunctionPermissions } = options;
        const { name: place } = source.shape;
        return memory.update(
          functionLines,
          each.shape,
          exposedAs,
          roles,
          readers,
          inferFunctionPermissions,
          place,
        );
      }),
    ];
  });
  for (const action of model.actions?.actions ?? []) {
    const { types } = model.actions!;
    parts.push(memory.update(actionLines, action, answeredRows(action, types, model)));
  }
  for (const remote of model.remotes ?? []) {
    parts.push(memory.call(remoteLines, remote));
  }
  const facts = new Map<string, (readonly string[])[]>();
  for (const part of parts) {
    for (const [role, lines] of part) {
      const known = facts.get(role);
      if (known) known.push(lines);
      else facts.set(role, [lines]);
    }
  }
  const saved = runs();
  for (const [role, lines] of facts) {
    lines.push(...[...savedFacts(role, saved), ...shardFacts(role)].map((fact) => [fact]));
    for (const remote of model.remotes ?? [])
      lines.push([remoteHeading(remote), `  ${roleFactText({ fact: 'open remote schema' })}`]);
    const limits = limitFacts(model.settings.limits, role);
    if (limits.length > 0) lines.push([`limits: ${limits.map(roleFactText).join('; ')}`]);
    lines.push(...causedEvents(role, model, events));
  }
  return [...facts]
    .map(([role, lines]) =>
      // The first part owns the ledger: it is there as long as the ledger can be the same.
      memory.call(ledgerOf, lines[0]!, role, lines),
    )
    .sort((left, right) => (left.role < right.role ? -1 : 1));
}

/** One line for what a role may run, and one for what the allow-list admits, each with the operations. */
function savedFacts(role: string, { permitted, allowed }: SavedRuns): string[] {
  const list = (title: string, names: readonly string[]) =>
    names.length > 0 ? [`saved operations ${title}: ${names.map(nameText).sort().join(', ')}`] : [];
  return [
    ...list(
      'on the allow-list',
      allowed.flatMap(([operation, roles]) =>
        roles === undefined || roles.includes(role) ? [operation] : [],
      ),
    ),
    ...list(
      'permitted',
      permitted.flatMap(([operation, roles]) => (roles.includes(role) ? [operation] : [])),
    ),
  ];
}

/** Parts about one thing are one part. */
function ledgerOf(_: readonly string[], role: string, parts: readonly (readonly string[])[]): Ledger {
  const byHeading = new Map<string, string[]>();
  for (const [heading, ...lines] of parts)
    byHeading.set(heading!, [...(byHeading.get(heading!) ?? []), ...lines]);
  const sorted = [...byHeading].sort(([left], [right]) => (left < right ? -1 : 1));
  return { role, facts: sorted.flatMap(([heading, lines]) => [heading, ...lines.sort()]) };
}

function remoteHeading(remote: RemoteSchemaShape): string {
  return `remote schema ${nameText(remote.name)}`;
}

function tableHeading(source: string, key: string): string {
  return `${nameText(source)} ${nameText(key)}`;
}

/** Events that a role's writes cause, with the tables that it writes to. */
function causedEvents(role: string, { sources }: Model, events: EventsProgram): (readonly string[])[] {
  return sources.flatMap(({ shape: { name: source }, tables }) => {
    if (!events.sources.some((each) => each.source === source)) return [];
    const shapes = new Map(tables.map(({ key, shape }) => [key, shape]));
    return tables.flatMap(({ key, permissions }) => {
      const lines = (['insert', 'update', 'delete'] as const).flatMap((operation) =>
        Object.hasOwn(permissions[operation], role)
          ? eventFacts(events, source, key, operation, shapes).map(
              (fact) => `  ${operation} ${roleFactText(fact)}`,
            )
          : [],
      );
      return lines.length > 0 ? [[tableHeading(source, key), ...lines]] : [];
    });
  });
}

function remoteLines(remote: RemoteSchemaShape): Lines {
  return collect(remoteHeading(remote), (add) => {
    for (const [role, part] of Object.entries(remote.roles))
      for (const fact of remoteFacts(part)) add(role, roleFactText({ fact: 'remote', part: fact }));
  });
}

/** Tables that a table's relationships lead to, by key. */
type Targets = readonly (readonly [key: string, planned: PlannedTable])[];

function targetsOf({ shape }: ModelTable, plans: ReadonlyMap<string, PlannedTable>): Targets {
  return Object.values(shape.relationships ?? {}).flatMap(({ target }) => {
    const planned = plans.get(target);
    return planned?.access.select ? [[target, planned] as const] : [];
  });
}

/** The tables whose rows updates of a table may change along its relationships. */
function changedWith({ shape }: ModelTable, tables: ReadonlyMap<string, ModelTable>): readonly ModelTable[] {
  if (!hasNestedUpdates(shape.source)) return [];
  return Object.values(shape.relationships ?? {}).flatMap(({ target }) => tables.get(target) ?? []);
}

const NO_READERS: TablePermissions['select'] = {};

/**
 * The facts of a table, for each role. Cached with the shape, which outlives changes of permissions: the facts of other
 * roles keep their identity.
 */
function tableLines(
  last: Lines | undefined,
  _: TableShape,
  table: ModelTable,
  planned: PlannedTable,
  targets: Targets,
  changed: readonly ModelTable[],
  deletion: string | undefined,
  source: string,
): Lines {
  return kept(
    last,
    collect(tableHeading(source, table.key), (add) => {
      addTable(add, table, planned, deletion);
      addRelationships(add, table, planned, new Map(targets));
      addRelated(add, table, changed);
    }),
  );
}

/** A tracked function. One that only reads is offered to roles that may select from its table. */
function functionLines(
  last: Lines | undefined,
  shape: FunctionShape,
  exposedAs: ModelFunction['exposedAs'],
  roles: readonly string[],
  readers: TablePermissions['select'],
  inferPermissions: boolean,
  source: string,
): Lines {
  const isMutation = exposedAs === 'mutation';
  const isInferred =
    !isMutation && (shape.sql !== undefined || (shape.volatile !== true && inferPermissions));
  const kind = shape.sql === undefined ? 'function' : 'native query';
  const place = `${nameText(source)} ${kind} ${nameText(displayName(shape.schema, shape.name))}`;
  const lines = collect(place, (add) => {
    for (const role of Object.keys(readers)) {
      const isPermitted = roles.includes(role);
      if (!isPermitted && !isInferred) continue;
      const facts = functionFacts(shape, isPermitted ? 'permission' : 'select', isMutation);
      for (const fact of facts) add(role, roleFactText(fact));
    }
  });
  return kept(last, lines);
}

/** That a role may call an action, and what leaves the server then; addresses are as the metadata writes them. */
function actionLines(last: Lines | undefined, action: ActionShape, rows: AnsweredRows): Lines {
  const call = actionFacts(action);
  const lines = collect(`action ${nameText(action.name)}`, (add) => {
    for (const role of action.roles) {
      const readable = rows.flatMap(([fact, readers]) => (Object.hasOwn(readers, role) ? [fact] : []));
      for (const fact of [...call, ...readable]) add(role, roleFactText(fact));
    }
  });
  return kept(last, lines);
}

/** Facts about rows that the relationships of an answer lead to, with who may select from their tables. */
type AnsweredRows = readonly (readonly [RoleFact<'answers rows'>, readers: TablePermissions['select']])[];

function answeredRows(
  { output }: ActionShape,
  { objects }: CustomTypesShape,
  { sources }: Model,
): AnsweredRows {
  const relationships = objects?.[output.replace(/[[\]!\s]/g, '')]?.relationships ?? {};
  return Object.entries(relationships).map(([field, { source, table }]) => {
    const { tables } = sources.find(({ shape }) => shape.name === source)!;
    const { permissions } = tables.find(({ key }) => key === table)!;
    return [{ fact: 'answers rows', source, table, field }, permissions.select];
  });
}

/** The facts, with those of roles that are as before. */
function kept(last: Lines | undefined, facts: Lines): Lines {
  return new Map([...facts].map(([role, lines]) => [role, reuse(lines, last?.get(role))]));
}

function collect(place: string, report: (add: Add) => void): Lines {
  const facts = new Map<string, Set<string>>();
  report((role, fact) => {
    facts.set(role, (facts.get(role) ?? new Set()).add(`  ${fact}`));
  });
  return new Map([...facts].map(([role, lines]) => [role, [place, ...[...lines].sort()]]));
}

/** Actions of foreign keys when rows are deleted; undefined if they do nothing. */
function deletionWords({ deleted, changed }: DeletionEffects): string | undefined {
  const parts = [
    ...(deleted.length > 0 ? [`deletes rows of ${deleted.map(nameText).join(', ')}`] : []),
    ...(changed.length > 0 ? [`clears columns of ${changed.map(nameText).join(', ')}`] : []),
  ];
  return parts.length > 0 ? `also ${parts.join(', and ')}` : undefined;
}

/** Conditions and presets as the metadata has them; the rest is read from the rules that run. */
type Written = Partial<
  ModelSelectPermission & ModelInsertPermission & ModelUpdatePermission & ModelDeletePermission
>;

/** The facts of each aspect, without the operation. */
const ASPECT_FACTS: ByAspect<readonly string[], [Written, TableShape]> = {
  // What holds rows of other models is a relationship.
  columns: (columns, _, shape) =>
    namesFact(
      'columns',
      columns.filter((column) => !shape.columns[column]?.nested),
    ),
  computedFields: (fields, _, shape) => [
    ...namesFact('computed fields', fields),
    ...fields.flatMap((field) =>
      shape.computedFields?.[field]?.definer ? [roleFactText({ fact: 'definer', field })] : [],
    ),
  ],
  where: (_, { filter }) => [`where ${conditionWords(filter!)}`],
  check: (_, { check }) => [`check ${conditionWords(check!)}`],
  checkMessage: (text) => [`check message ${JSON.stringify(text)}`],
  presets: (_, { presets = {} }) =>
    Object.entries(presets).map(([column, value]) => `preset ${nameText(column)} = ${valueWords(value)}`),
  cells: (_, { cells = {} }) =>
    Object.entries(cells).map(([column, when]) => `${nameText(column)} only where ${conditionWords(when)}`),
  limit: (limit) => [`limit ${limit}`],
  aggregations: () => ['aggregations'],
  backendOnly: () => ['backend only'],
  validateInput: ({ url }) => [`asks ${JSON.stringify(url)} first`],
  // The root fields that they withhold are named, and the relationships along which a rule is not asked.
  queryRoots: () => [],
  subscriptionRoots: () => [],
  implies: () => [],
  canFail: () => [],
};

function addTable(add: Add, table: ModelTable, { access }: PlannedTable, deletion: string | undefined): void {
  const { permissions, shape } = table;
  for (const operation of OPERATIONS)
    for (const [role, written] of Object.entries<Written>(permissions[operation])) {
      const facts = eachAspect<readonly string[], [Written, TableShape]>(
        ruleOf(access, operation, role)!,
        ASPECT_FACTS,
        written,
        shape,
      );
      for (const fact of facts.flat()) add(role, `${operation} ${fact}`);
    }
  for (const [role, permission] of Object.entries(permissions.select)) {
    if (isEntity(shape, permission))
      add(role, 'select rows by primary key through _entities of Apollo federation');
    for (const [root, field] of withheldFields(table, permission))
      add(role, `select without ${root} field ${field}`);
  }
  if (inferableKeys(shape).length > 0)
    for (const role of Object.keys(permissions.insert))
      add(role, `insert on conflict ${conflictWords(ruleOf(access, 'update', role))}`);
  for (const [role, { check }] of Object.entries(permissions.update))
    if (!check) add(role, 'update check none: "where" need not hold afterwards');
  if (deletion !== undefined)
    for (const role of Object.keys(permissions.delete)) add(role, `delete ${deletion}`);
}

/** The update part of an upsert. */
function conflictWords(update: UpdateRule | undefined): string {
  if (!update || update.columns.length === 0) return 'leaves rows alone';
  return `updates rows, then "${update.check ? 'update' : 'insert'} check" must hold`;
}

/** Names of one kind, sorted, on one line: the access file lists columns one to a line. */
function namesFact(kind: string, names: readonly string[]): string[] {
  return names.length > 0 ? [`${kind} ${names.map(nameText).sort().join(', ')}`] : [];
}

/** Whether gateways may look rows up, on servers that have Apollo federation enabled. */
function isEntity(shape: TableShape, select: ModelSelectPermission): boolean {
  const field = { kind: 'select_by_pk', root: 'query' } as const;
  return shape.federated === true && offer(shape, { select }, field, true) === true;
}

/** Root fields that the rest of a select permission would give, and that it withholds. */
function withheldFields(
  { rootFields, shape }: ModelTable,
  select: ModelSelectPermission,
): (readonly [root: RootKind, name: string])[] {
  const { queryRoots: _, subscriptionRoots: __, ...whole } = select;
  return rootFields.flatMap(({ kind, name: field }) =>
    rootsOf(kind).flatMap((root) => {
      const offered = (rule: ModelSelectPermission) =>
        offer(shape, { select: rule }, { kind, root }, true) === true;
      return offered(whole) && !offered(select) ? [[root, field] as const] : [];
    }),
  );
}

/** The roots below which a kind of field that reads may be offered. */
function rootsOf(kind: RootFieldKind): readonly RootKind[] {
  if (operationOf(kind) !== 'select') return [];
  return kind === 'select_stream' ? ['subscription'] : ['query', 'subscription'];
}
