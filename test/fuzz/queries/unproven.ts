/**
 * Facts that a catalog seems to state and that do not hold: keys that several rows share, because tables inherit, because an
 * index is of some rows only or invalid, or because the joined column has another equality than the key; references that
 * lead nowhere; columns that are never null, and are. The oracle counts rows and knows nothing of keys.
 */
import type { Random } from '../random.ts';
import {
  type Column,
  type ForeignKey,
  hasSameCells,
  KEY_KINDS,
  type Key,
  type Project,
  type Relationship,
  type Row,
  rowsOf,
  type Table,
} from './project.ts';
import { DIRECTIONS } from './request.ts';
import { joinedTo, MERGING, TYPE_NAMES, TYPES, type TypeName, type Value } from './types.ts';

/** The column that looks like a key, and the one that is joined to it. */
const KEY = 'k';
const LINK = 'l';
const KEY_TYPES: readonly TypeName[] = [
  ...(['int4', 'int4', 'int8', 'near', 'near', 'wide'] as const),
  ...(['text', 'padded', 'padded', 'char', 'loose', 'needed'] as const),
];
const BROKEN = ['not valid', 'not enforced', 'bypassed'] as const;

export function randomCell(random: Random, type: TypeName, nullable: boolean): Value {
  if (nullable && random.chance(0.3)) return null;
  const value = TYPES[type].random(random);
  // A JSON null at the top is not told from a missing value here.
  return value === null && !nullable ? randomCell(random, type, nullable) : value;
}

/** Further columns of a table: one that looks like a key, and one that can be joined to a key of another table. */
export function keyAndLink(
  random: Random,
  others: readonly Table[],
): { readonly columns: readonly Column[]; readonly keys: readonly Key[] } {
  const columns: Column[] = [];
  const keys: Key[] = [];
  if (random.chance(0.75)) {
    const type = random.pick(KEY_TYPES);
    columns.push({ name: KEY, type, nullable: type !== 'needed' && random.chance(0.4) });
    keys.push({ column: KEY, kind: random.pick(KEY_KINDS) });
  }
  const targets = others.flatMap((table) =>
    table.columns.filter(({ name }) => name === KEY || name === table.primaryKey[0]),
  );
  if (targets.length > 0 && random.chance(0.85)) {
    const merged = targets.filter((target) => MERGING[target.type]);
    const isMerging = merged.length > 0 && random.chance(0.6);
    const of = random.pick(isMerging ? merged : targets).type;
    const type = random.pick(isMerging ? MERGING[of]! : joinedTo(of));
    columns.push({ name: LINK, type, nullable: type !== 'needed' });
  }
  return { columns, keys };
}

/** The columns by which the database keeps the rows of a table apart, without those of tables that inherit. */
export function keptApart({ primaryKey, keys }: Table): readonly (readonly string[])[] {
  const isKey = ({ kind }: Key) =>
    kind === 'index with an expression' || kind === 'index that includes'
      ? primaryKey.length === 0
      : kind === 'constraint' || kind === 'deferrable' || kind === 'index';
  return [
    ...(primaryKey.length > 0 ? [primaryKey] : []),
    ...keys.filter(isKey).map(({ column }) => [column]),
  ];
}

export function randomBroken(random: Random): Pick<ForeignKey, 'broken'> {
  return random.chance(0.25) ? { broken: random.pick(BROKEN) } : {};
}

/** The tables with those that inherit from them, views of them, and columns that are said to be never null. */
export function withUnprovenFacts(random: Random, tables: readonly Table[]): readonly Table[] {
  let all = tables.map((table) => withClaim(random, table));
  for (let count = random.pick([0, 0, 1, 1, 2]); count > 0; count -= 1)
    all.push(heirOf(random, random.pick(all), all));
  all = all.map((table) => withClaimOfOwnRows(random, table, all));
  const views = random.pick([0, 1, 1, 2]);
  return [...all, ...random.list(views, (index) => randomView(random, all, `v${index + 1}`))];
}

/** Object relationships by hand: to what looks like a key, is one for another type, or is none. */
export function unprovenRelationships(
  random: Random,
  { tables }: Project,
): readonly (readonly [string, Omit<Relationship, 'name'>])[] {
  const candidates = tables.flatMap((table) => tables.flatMap((target) => joinable(table, target)));
  const links = candidates.filter(({ columns: [[own]] }) => own === LINK);
  const merging = candidates.filter(({ isMerging }) => isMerging);
  return random.list(random.between(1, 4), () => {
    const wanted = random.pick([merging, merging, links, candidates]);
    const { from, target, columns } = random.pick(wanted.length > 0 ? wanted : candidates);
    return [from, { kind: 'object', target, columns, declared: 'manual' }] as const;
  });
}

interface Joinable extends Pick<Relationship, 'target'> {
  readonly from: string;
  readonly columns: readonly [readonly [own: string, other: string]];
  readonly isMerging: boolean;
}

function joinable(table: Table, target: Table): readonly Joinable[] {
  const keys = target.columns.filter(({ name }) => ['id', KEY, 'n'].includes(name));
  const own = table.columns.filter(({ name }) => [LINK, KEY, 'n'].includes(name));
  return keys.flatMap((key) =>
    own
      .filter(({ type }) => joinedTo(key.type).includes(type))
      .map((each) => ({
        from: table.name,
        target: target.name,
        columns: [[each.name, key.name]],
        isMerging: MERGING[key.type]?.includes(each.type) ?? false,
      })),
  );
}

function withClaim(random: Random, table: Table): Table {
  const nullable = table.columns.filter(({ nullable }) => nullable);
  if (nullable.length === 0 || random.chance(0.6)) return table;
  return claiming(table, random.pick(nullable).name, 'not validated');
}

function withClaimOfOwnRows(random: Random, table: Table, all: readonly Table[]): Table {
  if (!all.some(({ inherits }) => inherits === table.name)) return table;
  // The constraint of a table above is one of this table as well, and cannot be made another.
  const isClaimed = (of: Table, column: string): boolean => {
    const above = all.find((each) => each.name === of.inherits);
    return (
      of.columns.some(({ name, claimed }) => name === column && claimed) ||
      (above !== undefined && isClaimed(above, column))
    );
  };
  const held = table.columns.filter(
    ({ name, nullable }) =>
      nullable && !isClaimed(table, name) && table.rows.every((row) => row[name] !== null),
  );
  return held.length === 0 ? table : claiming(table, random.pick(held).name, 'own rows');
}

function claiming(table: Table, column: string, claimed: NonNullable<Column['claimed']>): Table {
  const columns = table.columns.map((each) => (each.name === column ? { ...each, claimed } : each));
  return { ...table, columns };
}

/** A table whose rows are found in another one, too, many of them by the same key. */
function heirOf(random: Random, parent: Table, all: readonly Table[]): Table {
  const name = `t${all.length + 1}`;
  const inherited = parent.columns.map(({ claimed: _, ...column }): Column => column);
  const type = pickType(random);
  const further: Column[] = random.chance(0.4)
    ? [{ name: `only_${name}`, type, nullable: type !== 'needed' }]
    : [];
  const heir: Table = {
    schema: random.chance(0.2) ? 'other' : 'public',
    name,
    kind: 'table',
    inherits: parent.name,
    columns: [...inherited, ...further],
    primaryKey: random.chance(0.4) ? parent.primaryKey : [],
    keys: random.chance(0.3) ? parent.keys : [],
    foreignKeys: [],
    relationships: [],
    computedFields: [],
    permissions: [],
    rows: [],
  };
  const before = rowsOf({ tables: all, inheritedRoles: [] }, parent);
  const rows: Row[] = [];
  for (let count = random.between(0, 6); count > 0; count -= 1) {
    const like = before.length > 0 && random.chance(0.8) ? random.pick(before) : undefined;
    const row = Object.fromEntries(
      heir.columns.map(({ name: column, type, nullable }) => {
        const isCopied =
          like && column in like && random.chance(column === 'id' || column === 'part' ? 0.9 : 0.5);
        return [column, isCopied ? like[column]! : randomCell(random, type, nullable)];
      }),
    );
    if (!keptApart(heir).some((names) => rows.some((other) => hasSameCells(heir, names, row, other))))
      rows.push(row);
  }
  return { ...heir, rows };
}

export function pickType(random: Random): TypeName {
  return random.pick(TYPE_NAMES);
}

function randomView(random: Random, tables: readonly Table[], name: string): Table {
  const shown = random.pick(tables);
  const columns = shown.columns.filter(
    (column) => ['id', 'n', KEY].includes(column.name) || random.chance(0.7),
  );
  const notNull = random.chance(0.5) ? random.pick(columns).name : undefined;
  const joins = tables.flatMap((table) => joinable(shown, table));
  const join = joins.length > 0 && random.chance(0.4) ? random.pick(joins) : undefined;
  const far = join && tables.find((table) => table.name === join.target)!;
  const outer = join &&
    far && {
      table: far.name,
      on: join.columns[0],
      shown: Object.fromEntries(
        [...far.columns.filter(({ type }) => type === 'needed'), ...random.shuffle(far.columns)]
          .slice(0, 2)
          .map((column) => [`far_${column.name}`, column.name]),
      ),
    };
  const view: Table = {
    schema: 'public',
    name,
    kind: random.chance(0.3) ? 'materialized view' : 'view',
    columns: [
      ...columns.map(({ claimed: _, ...column }) => ({ ...column, nullable: true })),
      ...Object.entries(outer?.shown ?? {}).map(([as, column]) => ({
        name: as,
        type: far!.columns.find((each) => each.name === column)!.type,
        nullable: true,
      })),
    ],
    primaryKey: [],
    keys: [],
    foreignKeys: [],
    relationships: [],
    computedFields: [],
    permissions: [],
    view: {
      table: shown.name,
      ...(notNull !== undefined && { notNull }),
      ...(outer && { outer }),
      ...(random.chance(0.6) && { order: { column: 'n', direction: random.pick(DIRECTIONS) } }),
    },
    rows: [],
  };
  if (view.kind === 'view') return view;
  const rows = rowsOf({ tables, inheritedRoles: [] }, view);
  const isApart = (column: string) =>
    rows.every(
      (row, index) => !rows.slice(0, index).some((other) => hasSameCells(view, [column], row, other)),
    );
  const keys = columns.filter((column) => ['id', KEY].includes(column.name) && isApart(column.name));
  return { ...view, keys: keys.map((column): Key => ({ column: column.name, kind: 'index' })) };
}
