/** Ledgers: what a role may do, one fact a line, so that a difference between two versions reads as a change of rights. */
import { displayName } from '../../../runtime/core/names.ts';
import { offer, operationOf, type RootKind } from '../../../runtime/core/schema/offer.ts';
import type { TableShape } from '../../../runtime/core/shapes.ts';
import type { Memory } from '../../memory/memory.ts';
import { reuse } from '../../memory/reuse.ts';
import type {
  Model,
  ModelSource,
  ModelTable,
  ModelUpdatePermission,
  Presets,
  RootFieldKind,
} from '../../model/model.ts';
import type { Ledger } from '../../model/plan.ts';
import { conditionWords, name, valueWords } from './words.ts';

type Add = (role: string, fact: string) => void;
/** Facts of one table or of a source's functions, by role; sorted. */
type Facts = ReadonlyMap<string, readonly string[]>;

/** The ledgers of all roles that have a permission. */
export function planLedgers(model: Model, memory: Memory): Ledger[] {
  const parts = model.sources.flatMap((source) => {
    const tables = new Map(source.tables.map((table) => [table.key, table]));
    return [
      ...source.tables.map((table) => tableFacts(source, tables, table, memory)),
      collect((add) => addFunctions(add, source)),
    ];
  });
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
        // Parts are sorted and name different things: next to nothing is left to sort.
        facts: lines.flat().sort(),
      })),
    )
    .sort((left, right) => (left.role < right.role ? -1 : 1));
}

/** What the roles may do with a table; besides the table, which roles may select from those that it refers to counts. */
function tableFacts(
  source: ModelSource,
  tables: ReadonlyMap<string, ModelTable>,
  table: ModelTable,
  memory: Memory,
): Facts {
  const targets = Object.values(table.shape.relationships ?? {}).map(
    ({ target }) => tables.get(target)?.permissions.select,
  );
  // By shape, which outlives changes of permissions: the facts of the other roles keep their identity.
  return memory.remember<Facts>('facts', table.shape, [table, ...targets], (before) => {
    const facts = collect((add) => addTable(add, source, tables, table));
    return new Map([...facts].map(([role, lines]) => [role, reuse(lines, before?.get(role))]));
  });
}

function collect(report: (add: Add) => void): Facts {
  const facts = new Map<string, Set<string>>();
  report((role, fact) => {
    facts.set(role, (facts.get(role) ?? new Set()).add(fact));
  });
  return new Map([...facts].map(([role, lines]) => [role, [...lines].sort()]));
}

function addTable(
  add: Add,
  source: ModelSource,
  tables: ReadonlyMap<string, ModelTable>,
  table: ModelTable,
): void {
  const { permissions, shape } = table;
  const place = `${name(source.shape.name)} ${name(`${shape.schema}.${shape.name}`)}`;
  for (const [role, permission] of Object.entries(permissions.select)) {
    const fact = (text: string) => add(role, `${place} select ${text}`);
    for (const column of permission.columns) fact(`column ${name(column)}`);
    for (const field of permission.computedFields) fact(`computed field ${name(field)}`);
    for (const [column, condition] of Object.entries(permission.cells ?? {}))
      fact(`${name(column)} only where ${conditionWords(condition)}`);
    fact(`where ${conditionWords(permission.filter)}`);
    if (permission.limit !== undefined) fact(`limit ${permission.limit}`);
    if (permission.aggregations) fact('aggregations');
    for (const [relationship, { target }] of Object.entries(shape.relationships ?? {})) {
      const other = tables.get(target);
      if (other && Object.hasOwn(other.permissions.select, role)) fact(`relationship ${name(relationship)}`);
    }
  }
  for (const [role, permission] of Object.entries(permissions.insert)) {
    const fact = (text: string) => add(role, `${place} insert ${text}`);
    for (const column of permission.columns) fact(`column ${name(column)}`);
    fact(`check ${conditionWords(permission.check)}`);
    addPresets(fact, permission.presets);
    if (permission.backendOnly) fact('backend only');
    if (hasKeys(shape)) fact(`on conflict ${conflictWords(own(permissions.update, role))}`);
  }
  for (const [role, permission] of Object.entries(permissions.update)) {
    const fact = (text: string) => add(role, `${place} update ${text}`);
    for (const column of permission.columns) fact(`column ${name(column)}`);
    fact(`where ${conditionWords(permission.filter)}`);
    fact(
      permission.check
        ? `check ${conditionWords(permission.check)}`
        : 'check none: "where" need not hold afterwards',
    );
    addPresets(fact, permission.presets);
    if (permission.backendOnly) fact('backend only');
  }
  for (const [role, permission] of Object.entries(permissions.delete)) {
    const fact = (text: string) => add(role, `${place} delete ${text}`);
    fact(`where ${conditionWords(permission.filter)}`);
    if (permission.backendOnly) fact('backend only');
  }
  for (const role of rolesOf(table)) {
    for (const field of table.rootFields) {
      for (const root of rootsOffering(table, role, field.kind))
        add(role, `${place} ${root} field ${field.name}`);
    }
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

function addPresets(fact: (text: string) => void, presets: Presets): void {
  for (const [column, value] of Object.entries(presets))
    fact(`preset ${name(column)} = ${valueWords(value)}`);
}

function rolesOf({ permissions }: ModelTable): string[] {
  return [...new Set(Object.values(permissions).flatMap((rules) => Object.keys(rules)))];
}

/** Roots below which a trusted caller of the role is offered a root field. */
function rootsOffering({ permissions, shape }: ModelTable, role: string, kind: RootFieldKind): RootKind[] {
  const [select, insert] = [own(permissions.select, role), own(permissions.insert, role)];
  const [update, remove] = [own(permissions.update, role), own(permissions.delete, role)];
  const rules = {
    ...(select && { select }),
    ...(insert && { insert }),
    ...(update && { update }),
    ...(remove && { delete: remove }),
  };
  return rootsOf(kind).filter((root) => offer(shape, rules, { kind, root }, true) === true);
}

function rootsOf(kind: RootFieldKind): readonly RootKind[] {
  if (operationOf(kind) !== 'select') return ['mutation'];
  return kind === 'select_stream' ? ['subscription'] : ['query', 'subscription'];
}

function addFunctions(add: Add, source: ModelSource): void {
  for (const { shape, exposedAs, roles } of source.functions) {
    const writes = exposedAs === 'mutation' ? ' as a mutation: what it writes meets no rule' : '';
    const place = `${name(source.shape.name)} ${name(displayName(shape.schema, shape.name))}`;
    for (const role of roles) add(role, `${place} function call${writes}`);
  }
}
