/**
 * Ledgers: what a role may do, grouped by table, one fact a line (columns of an operation are one), so that a difference between two versions reads as a change
 * of rights. Root fields follow from the facts and are named only where a permission withholds one.
 */
import type { ActionShape, CustomTypesShape } from '../../../runtime/core/action/shapes.ts';
import { type Deletion, deletionOf } from '../../../runtime/core/deletions.ts';
import { displayName } from '../../../runtime/core/names.ts';

import type { SavedOptions } from '../../../runtime/core/saved.ts';
import { offer, operationOf, type RootKind } from '../../../runtime/core/schema/offer.ts';

import type { TableShape } from '../../../runtime/core/shapes.ts';
import type { Memory } from '../../memory/memory.ts';
import { reuse } from '../../memory/reuse.ts';
import type {
  Model,
  ModelFunction,
  ModelInsertPermission,
  ModelSelectPermission,
  ModelSource,
  ModelTable,
  ModelUpdatePermission,
  Presets,
  RootFieldKind,
} from '../../model/model.ts';
import type { Ledger } from '../../model/plan.ts';
import { remoteFacts } from './remote-ledger.ts';
import { conditionWords, name, valueWords } from './words.ts';

type Add = (role: string, fact: string) => void;
/** Lines about one table or function, by role: what it is, then the facts, sorted. */
type Facts = ReadonlyMap<string, readonly string[]>;

/** The ledgers of all roles that have a permission. */
export function planLedgers(
  model: Model,
  options: Pick<SavedOptions, 'inferFunctionPermissions'>,
  memory: Memory,
): Ledger[] {
  const parts = model.sources.flatMap((source) => {
    const tables = new Map(source.tables.map((table) => [table.key, table]));
    const shapes = new Map(source.tables.map(({ key, shape }) => [key, shape]));
    return [
      ...source.tables.map((table) => tableFacts(source, tables, shapes, table, memory)),
      ...source.functions.map((each) => functionFacts(source, tables, each, options, memory)),
    ];
  });
  for (const action of model.actions?.actions ?? [])
    parts.push(actionFacts(action, model.actions!.types, memory));
  for (const remote of model.remotes ?? []) {
    parts.push(
      memory.remember<Facts>('facts', remote, [], () =>
        collect(`remote schema ${name(remote.name)}`, (add) => {
          for (const role of Object.keys(remote.roles))
            for (const fact of remoteFacts(remote, role)) add(role, fact);
        }),
      ),
    );
  }
  const facts = new Map<string, (readonly string[])[]>();
  for (const part of parts) {
    for (const [role, lines] of part) {
      const known = facts.get(role);
      if (known) known.push(lines);
      else facts.set(role, [lines]);
    }
  }
  return [...facts]
    .map(([role, lines]) =>
      // The first part stands for the ledger: it is there as long as the ledger can be the same.
      memory.remember('ledger', lines[0]!, lines, () => ({
        role,
        facts: lines.toSorted(([left], [right]) => (left! < right! ? -1 : 1)).flat(),
      })),
    )
    .sort((left, right) => (left.role < right.role ? -1 : 1));
}

/** What the roles may do with a table; besides the table, which roles may select from those that it refers to counts. */
function tableFacts(
  source: ModelSource,
  tables: ReadonlyMap<string, ModelTable>,
  shapes: ReadonlyMap<string, TableShape>,
  table: ModelTable,
  memory: Memory,
): Facts {
  const targets = Object.values(table.shape.relationships ?? {}).map(
    ({ target }) => tables.get(target)?.permissions.select,
  );
  const isDeleted = Object.keys(table.permissions.delete).length > 0;
  const deletion = isDeleted ? deletionWords(deletionOf(table.key, shapes)) : undefined;
  // By shape, which outlives changes of permissions: the facts of the other roles keep their identity.
  return memory.remember<Facts>('facts', table.shape, [table, deletion, ...targets], (before) => {
    const place = `${name(source.shape.name)} ${name(table.key)}`;
    const facts = collect(place, (add) => addTable(add, tables, table, deletion));
    return new Map([...facts].map(([role, lines]) => [role, reuse(lines, before?.get(role))]));
  });
}

/** What a tracked function gives the roles; of one that only reads, which roles may select from its table counts. */
function functionFacts(
  source: ModelSource,
  tables: ReadonlyMap<string, ModelTable>,
  called: ModelFunction,
  { inferFunctionPermissions }: Pick<SavedOptions, 'inferFunctionPermissions'>,
  memory: Memory,
): Facts {
  const { shape, exposedAs, roles } = called;
  const readers = tables.get(shape.returns.table)?.permissions.select ?? {};
  const inputs = [called, readers, inferFunctionPermissions];
  return memory.remember<Facts>('facts', shape, inputs, (before) => {
    const place = `${name(source.shape.name)} function ${name(displayName(shape.schema, shape.name))}`;
    const facts = collect(place, (add) => {
      const rows = exposedAs === 'mutation' ? 'what it writes meets no rule; ' : '';
      for (const role of roles)
        if (Object.hasOwn(readers, role))
          add(role, `call: ${rows}rows of ${name(shape.returns.table)} as by select`);
      if (exposedAs === 'mutation' || shape.volatile || !inferFunctionPermissions) return;
      for (const role of Object.keys(readers))
        if (!roles.includes(role))
          add(role, `call, because it may select: rows of ${name(shape.returns.table)} as by select`);
    });
    return new Map([...facts].map(([role, lines]) => [role, reuse(lines, before?.get(role))]));
  });
}

/** That a role may call an action, and what leaves the server then; addresses are as the metadata writes them. */
function actionFacts(action: ActionShape, types: CustomTypesShape, memory: Memory): Facts {
  return memory.remember<Facts>('facts', action, [types], (before) => {
    const facts = collect(`action ${name(action.name)}`, (add) => {
      for (const role of action.roles) for (const fact of factsOfCall(action, types)) add(role, fact);
    });
    return new Map([...facts].map(([role, lines]) => [role, reuse(lines, before?.get(role))]));
  });
}

function factsOfCall(action: ActionShape, types: CustomTypesShape): readonly string[] {
  const object = types.objects?.[action.output.replace(/[[\]!\s]/g, '')];
  const ignored = action.ignoredClientHeaders?.map(name).join(', ');
  return [
    `call (${action.kind === 'asynchronous' ? 'asynchronous ' : ''}${action.type})`,
    `sends to ${JSON.stringify(action.handler)}`,
    ...Object.entries(action.arguments).map(([key, { type }]) => `sends argument ${name(key)}: ${type}`),
    'sends session variables',
    ...(action.headers ?? []).map((header) =>
      'value' in header
        ? `sends header ${name(header.name)}`
        : `sends header ${name(header.name)} from environment variable ${name(header.valueFromEnv)}`,
    ),
    ...(action.forwardClientHeaders
      ? [
          `sends client headers, credentials included${ignored === undefined ? '' : `, except ${ignored || 'none'}`}`,
        ]
      : []),
    ...(action.requestTransform ? ['transforms the request'] : []),
    ...(action.responseTransform ? ['transforms the answer'] : []),
    `answers ${action.output}`,
    ...Object.entries(object?.relationships ?? {}).map(
      ([field, { source, table }]) => `answers rows of ${name(source)} ${name(table)} as ${name(field)}`,
    ),
  ];
}

function collect(place: string, report: (add: Add) => void): Facts {
  const facts = new Map<string, Set<string>>();
  report((role, fact) => {
    facts.set(role, (facts.get(role) ?? new Set()).add(`  ${fact}`));
  });
  return new Map([...facts].map(([role, lines]) => [role, [place, ...[...lines].sort()]]));
}

/** What foreign keys do when rows are deleted; undefined: nothing. */
function deletionWords({ deleted, changed }: Deletion): string | undefined {
  const parts = [
    ...(deleted.length > 0 ? [`deletes rows of ${deleted.map(name).join(', ')}`] : []),
    ...(changed.length > 0 ? [`clears columns of ${changed.map(name).join(', ')}`] : []),
  ];
  return parts.length > 0 ? `also ${parts.join(', and ')}` : undefined;
}

function addTable(
  add: Add,
  tables: ReadonlyMap<string, ModelTable>,
  table: ModelTable,
  deletion: string | undefined,
): void {
  const { permissions, shape } = table;
  for (const [role, permission] of Object.entries(permissions.select)) {
    const fact = (text: string) => add(role, `select ${text}`);
    addNames(fact, 'columns', permission.columns);
    addNames(fact, 'computed fields', permission.computedFields);
    for (const [column, condition] of Object.entries(permission.cells ?? {}))
      fact(`${name(column)} only where ${conditionWords(condition)}`);
    fact(`where ${conditionWords(permission.filter)}`);
    if (permission.limit !== undefined) fact(`limit ${permission.limit}`);
    if (permission.aggregations) fact('aggregations');
    for (const [relationship, { target, columns }] of Object.entries(shape.relationships ?? {})) {
      const other = tables.get(target);
      if (!other || !Object.hasOwn(other.permissions.select, role)) continue;
      const pairs = Object.entries(columns).map(([from, to]) => `${name(to)} = ${name(from)}`);
      fact(`relationship ${name(relationship)}: ${[name(target), ...pairs].join(', ')}`);
    }
    for (const [root, field] of withheldFields(table, permission)) fact(`without ${root} field ${field}`);
  }
  for (const [role, permission] of Object.entries(permissions.insert)) {
    const fact = (text: string) => add(role, `insert ${text}`);
    addNames(fact, 'columns', permission.columns);
    fact(`check ${conditionWords(permission.check)}`);
    addPresets(fact, permission.presets);
    if (permission.backendOnly) fact('backend only');
    addValidation(fact, permission);
    if (hasKeys(shape)) fact(`on conflict ${conflictWords(own(permissions.update, role))}`);
  }
  for (const [role, permission] of Object.entries(permissions.update)) {
    const fact = (text: string) => add(role, `update ${text}`);
    addNames(fact, 'columns', permission.columns);
    fact(`where ${conditionWords(permission.filter)}`);
    fact(
      permission.check
        ? `check ${conditionWords(permission.check)}`
        : 'check none: "where" need not hold afterwards',
    );
    addPresets(fact, permission.presets);
    if (permission.backendOnly) fact('backend only');
    addValidation(fact, permission);
  }
  for (const [role, permission] of Object.entries(permissions.delete)) {
    const fact = (text: string) => add(role, `delete ${text}`);
    if (deletion !== undefined) fact(deletion);
    fact(`where ${conditionWords(permission.filter)}`);
    if (permission.backendOnly) fact('backend only');
    addValidation(fact, permission);
  }
}

function own<Rule>(rules: Readonly<Record<string, Rule>>, role: string): Rule | undefined {
  return Object.hasOwn(rules, role) ? rules[role] : undefined;
}

/** Whether `on_conflict` is offered. */
function hasKeys({ primaryKey, unique, conditionallyUnique }: TableShape): boolean {
  return primaryKey !== undefined || unique !== undefined || conditionallyUnique !== undefined;
}

/** The update part of an upsert. */
function conflictWords(update: ModelUpdatePermission | undefined): string {
  if (!update || update.columns.length === 0) return 'leaves rows alone';
  return `updates rows, then "${update.check ? 'update' : 'insert'} check" must hold`;
}

function addValidation(
  fact: (text: string) => void,
  { validateInput }: Pick<ModelInsertPermission, 'validateInput'>,
): void {
  if (validateInput) fact(`asks ${JSON.stringify(validateInput.url)} first`);
}

/** Names of one kind, sorted, on one line: the access file lists columns one to a line. */
function addNames(fact: (text: string) => void, kind: string, names: readonly string[]): void {
  if (names.length > 0) fact(`${kind} ${names.map(name).sort().join(', ')}`);
}

function addPresets(fact: (text: string) => void, presets: Presets): void {
  for (const [column, value] of Object.entries(presets))
    fact(`preset ${name(column)} = ${valueWords(value)}`);
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
