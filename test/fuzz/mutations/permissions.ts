/** Random permissions of two roles: what they see, and what they may write. */
import { type Condition, conditionJson } from '../queries/condition.ts';
import { type Column, type Permission, type Table, tableNamed } from '../queries/project.ts';
import { randomCondition } from '../queries/random-condition.ts';
import { TYPES, type TypeName, type Value } from '../queries/types.ts';
import type { Random } from '../random.ts';
import { FUNCTIONS } from './functions.ts';
import type { Mutation } from './request.ts';
import { baseOf, isRequired, NEW_NAMES, RULES } from './tables.ts';
import { HEIR, projectOf, ROLES } from './world.ts';

export type Preset =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'session'; readonly name: string };

interface Rule {
  readonly backendOnly: boolean;
}

export interface WriteRules {
  readonly insert?: Rule & {
    readonly columns: readonly string[];
    readonly check: Condition;
    readonly set: Readonly<Record<string, Preset>>;
  };
  readonly update?: Rule & {
    readonly columns: readonly string[];
    readonly filter: Condition;
    readonly check?: Condition;
    readonly set: Readonly<Record<string, Preset>>;
  };
  readonly delete?: Rule & { readonly filter: Condition; readonly check?: Condition };
}

export interface Permissions {
  /** By table. */
  readonly select: Readonly<Record<string, readonly Permission[]>>;
  /** By role and table. */
  readonly write: Readonly<Record<string, Readonly<Record<string, WriteRules>>>>;
  /** Functions that a role may call. */
  readonly functions: Readonly<Record<string, readonly string[]>>;
  /** A role inherits from both others, whose rules for writing are then the same wherever both have one. */
  readonly hasHeir: boolean;
}

/** The tables without rows and permissions. */
export const BARE = projectOf({}, { select: {}, write: {}, functions: {}, hasHeir: false });

export const EVERYTHING: Condition = { kind: 'object', parts: [] };

/** Names of the session variables that rules use. */
const SESSION: Readonly<Partial<Record<TypeName, string>>> = {
  int4: 'x-engine-int4',
  text: 'x-engine-text',
  bool: 'x-engine-bool',
};

/** Of a preset key: no sequence comes to it, as inserts that are tried in batches first use up more numbers than in the model. */
export const PRESET_KEY = 99;

export function randomPermissions(random: Random): Permissions {
  // Checks of several tables together let hardly anything be inserted; so mostly there are few.
  const lenient = random.chance(0.75);
  const condition = (table: Table, everything: number): Condition =>
    random.chance(everything)
      ? EVERYTHING
      : randomCondition(random, {
          project: BARE,
          table,
          depth: 2,
          // Session variables exist for some types only.
          columns: (of) => of.columns.filter(({ type }) => type in SESSION || type === 'jsonb'),
          computedFields: () => [],
          visible: () => true,
          permission: {
            root: table,
            session: (type, list) => (SESSION[type] ?? `x-engine-${type}`) + (list ? '-list' : ''),
          },
        });
  const select: Record<string, Permission[]> = {};
  const write: Record<string, Record<string, WriteRules>> = {};
  const functions: Record<string, readonly string[]> = {};
  for (const role of ROLES) {
    write[role] = {};
    const looksAround = random.pick([
      ...BARE.tables,
      ...BARE.tables.filter(({ kind }) => kind === 'table'),
      undefined,
    ]);
    for (const table of BARE.tables) {
      if (random.chance(0.85)) {
        const own: Permission = {
          role,
          columns: some(random, table.columns, 0.8),
          computedFields: [],
          filter: condition(table, 0.4),
          aggregations: random.chance(0.5),
          ...(random.chance(0.15) && { limit: random.between(1, 3) }),
        };
        select[table.name] = [...(select[table.name] ?? []), own];
      }
      const insertCheck =
        table === looksAround
          ? anyRow(random, table)
          : checkOfInsert(() => condition(table, lenient ? 0.9 : 0.45));
      write[role][table.name] = writeRules(random, table, insertCheck, condition, lenient);
    }
    // A function's rows are shown by the rule of their table.
    const sees = select.player?.some((permission) => permission.role === role);
    functions[role] = sees ? random.some(Object.keys(FUNCTIONS), 0.6) : [];
  }
  const hasHeir = random.chance(0.3);
  if (hasHeir) {
    for (const { name } of BARE.tables)
      write.two![name] = agreeing(random, write.one![name]!, write.two![name]!);
  }
  return { select, write, functions, hasHeir };
}

/** Rules of a second role that are the first one's wherever that has some. */
function agreeing(random: Random, one: WriteRules, two: WriteRules): WriteRules {
  const { insert = two.insert, update = two.update, delete: remove = two.delete } = one;
  return {
    ...(insert && random.chance(0.7) && { insert }),
    ...(update && random.chance(0.7) && { update }),
    ...(remove && random.chance(0.7) && { delete: remove }),
  };
}

function some(random: Random, columns: readonly Column[], probability: number): string[] {
  const names = random.some(columns, probability).map(({ name }) => name);
  return names.length > 0 ? names : [columns[0]!.name];
}

function writeRules(
  random: Random,
  table: Table,
  insertCheck: Condition,
  condition: (table: Table, everything: number) => Condition,
  lenient: boolean,
): WriteRules {
  const writable = table.columns.filter(({ name }) => !RULES[baseOf(table.name)]!.fixed.includes(name));
  const required = writable.filter(({ name }) => isRequired(table.name, name));
  // Without the columns that every row must have, there would be little to see of inserts.
  const insertable = () =>
    random.chance(lenient ? 1 : 0.9)
      ? writable
          .map(({ name }) => name)
          .filter((name) => required.some((each) => each.name === name) || random.chance(0.85))
      : some(random, writable, 0.7);
  const presets = (probability: number) =>
    Object.fromEntries(
      random.some(writable, probability).flatMap((column): [string, Preset][] => {
        const preset = randomPreset(random, column);
        return preset ? [[column.name, preset]] : [];
      }),
    );
  const backendOnly = () => random.chance(0.1);
  return {
    ...(random.chance(0.9) && {
      insert: {
        backendOnly: backendOnly(),
        columns: insertable(),
        check: insertCheck,
        set: presets(lenient ? 0.06 : 0.12),
      },
    }),
    ...(random.chance(0.85) && {
      update: {
        backendOnly: backendOnly(),
        columns: some(random, writable, 0.85),
        filter: condition(table, 0.45),
        ...(random.chance(0.5) && { check: condition(table, 0.2) }),
        set: presets(0.15),
      },
    }),
    ...(random.chance(0.8) && {
      delete: {
        backendOnly: backendOnly(),
        filter: condition(table, 0.4),
        ...(random.chance(0.4) && { check: condition(table, 0.2) }),
      },
    }),
  };
}

/** Whether there is any row of some kind nearby, which the rows of a request itself change most easily. */
function anyRow(random: Random, table: Table): Condition {
  const near = [table.name, ...table.relationships.map(({ target }) => target)];
  const { schema, name, columns } = tableNamed(BARE, random.pick(near));
  const telling = columns.filter(
    (column) => NEW_NAMES.includes(column.name) || (column.nullable && !/^(.+_)?id$/.test(column.name)),
  );
  const ofSome = ({ name: column, type }: Column): Condition => ({
    kind: 'column',
    name: column,
    type,
    comparisons: [
      NEW_NAMES.includes(column) && random.chance(0.7)
        ? { kind: 'operator', operator: '_like', operand: { kind: 'value', value: 'n%' } }
        : { kind: 'null', isNull: random.chance(0.5) },
    ],
  });
  const item = telling.length > 0 && random.chance(0.7) ? ofSome(random.pick(telling)) : EVERYTHING;
  const exists: Condition = { kind: 'exists', schema, table: name, item };
  return random.chance(0.6) ? { kind: 'not', item: exists } : exists;
}
/**
 * Checks do not speak of what sequences number: inserts are tried in batches first, which uses up numbers, so that a refused
 * request may be refused for another row than in the model.
 */
function checkOfInsert(condition: () => Condition): Condition {
  const check = condition();
  return /"(\w+_)?id"/.test(JSON.stringify(conditionJson(check))) ? checkOfInsert(condition) : check;
}

function randomPreset(random: Random, { name, type, nullable }: Column): Preset | undefined {
  // Keys that are the same in every row would refuse nearly every request.
  if (name === 'id' || name === 'nick') return undefined;
  if (name.endsWith('_id'))
    return { kind: 'value', value: nullable && random.chance(0.5) ? null : PRESET_KEY };
  const session = SESSION[type];
  if (session !== undefined && random.chance(0.5)) return { kind: 'session', name: session };
  const value = nullable && random.chance(0.15) ? null : TYPES[type].random(random);
  return value === null && !nullable ? undefined : { kind: 'value', value };
}

/** What the role of a mutation may write: everything, for admin. */
export function rulesOf(
  permissions: Permissions,
  { role, backend }: Pick<Mutation, 'role' | 'backend'>,
  table: string,
): WriteRules {
  if (role !== 'admin') {
    const { insert, update, delete: remove } = rulesOfRole(permissions, role, table);
    const counts = (rule: Rule | undefined) => rule !== undefined && (backend || !rule.backendOnly);
    return {
      ...(counts(insert) && { insert: insert! }),
      ...(counts(update) && { update: update! }),
      ...(counts(remove) && { delete: remove! }),
    };
  }
  const columns = projectOf({}, permissions)
    .tables.find(({ name }) => name === table)!
    .columns.map(({ name }) => name)
    .filter((name) => !RULES[baseOf(table)]!.fixed.includes(name));
  const backendOnly = false;
  return {
    insert: { backendOnly, columns, check: EVERYTHING, set: {} },
    update: { backendOnly, columns, filter: EVERYTHING, set: {} },
    delete: { backendOnly, filter: EVERYTHING },
  };
}

/** Functions that a role may call. */
export function functionsOf({ functions }: Permissions, role: string): readonly string[] {
  if (role === 'admin') return Object.keys(FUNCTIONS);
  return role === HEIR ? [...new Set(Object.values(functions).flat())] : functions[role]!;
}

function rulesOfRole({ write }: Permissions, role: string, table: string): WriteRules {
  if (role !== HEIR) return write[role]?.[table] ?? {};
  // Where both have a rule it is the same one.
  return { ...write.one?.[table], ...write.two?.[table] };
}
