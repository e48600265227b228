/** The tables of the mutation campaign, and what the database does by itself about their rows. */
import type { Column, Relationship, Row, Table } from '../queries/project.ts';

export const SIGNUP = 'signup';

export interface Rules {
  /** The column that a sequence fills. */
  readonly serial?: string;
  readonly defaults: Row;
  /** Constraint → columns; the primary key first. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
  /** Table CHECK: the column must be null or at least this. */
  readonly least?: readonly [column: string, least: number];
  /** Generated column: twice the other one. */
  readonly doubled?: readonly [column: string, of: string];
  /** Columns that nobody may give. */
  readonly fixed: readonly string[];
  readonly references: readonly Reference[];
}

export interface Reference {
  readonly columns: readonly string[];
  readonly target: string;
  /** At the same positions. */
  readonly targetColumns: readonly string[];
  readonly onDelete: 'no action' | 'cascade' | 'set null';
}

const reference = (column: string, target: string, onDelete: Reference['onDelete']): Reference => ({
  columns: [column],
  target,
  targetColumns: ['id'],
  onDelete,
});

export const RULES: Readonly<Record<string, Rules>> = {
  team: {
    serial: 'id',
    defaults: { score: 5 },
    keys: { team_pkey: ['id'], team_name_key: ['name'] },
    least: ['score', 0],
    fixed: [],
    references: [],
  },
  player: {
    serial: 'id',
    defaults: { n: 1 },
    keys: { player_pkey: ['id'], player_nick_key: ['nick'] },
    doubled: ['doubled', 'n'],
    fixed: ['doubled'],
    references: [reference('team_id', 'team', 'no action'), reference('mentor_id', 'player', 'set null')],
  },
  badge: {
    defaults: { points: 0 },
    keys: { badge_pkey: ['player_id', 'kind'] },
    least: ['points', -1],
    fixed: [],
    references: [reference('player_id', 'player', 'cascade')],
  },
  profile: {
    serial: 'id',
    defaults: {},
    keys: { profile_pkey: ['id'], profile_player_id_key: ['player_id'] },
    fixed: [],
    references: [
      reference('player_id', 'player', 'no action'),
      { columns: ['sponsor'], target: 'team', targetColumns: ['name'], onDelete: 'no action' },
    ],
  },
  award: {
    serial: 'id',
    defaults: { note: 'none' },
    keys: { award_pkey: ['id'] },
    fixed: ['id'],
    references: [
      {
        columns: ['player_id', 'kind'],
        target: 'badge',
        targetColumns: ['player_id', 'kind'],
        onDelete: 'cascade',
      },
    ],
  },
};

/** The tables behind the names that are written to: a view's rows are its table's. */
export function baseOf(table: string): string {
  return table === 'rookie' || table === SIGNUP ? 'player' : table;
}

/** Defaults of a view's own columns, which go before those of its table. */
export const VIEW_DEFAULTS: Readonly<Record<string, Row>> = { rookie: { n: 4 } };

/** Columns whose texts begin with "n" in most new rows, and hardly ever in those that are there at first. */
export const NEW_NAMES: readonly string[] = ['nick', 'name', 'team'];

/** Whether a row cannot do without a value for the column. */
export function isRequired(table: string, name: string): boolean {
  const base = baseOf(table);
  const { serial, defaults } = RULES[base]!;
  const of = TABLES.find((each) => each.name === base)!.columns.find((each) => each.name === name);
  return of !== undefined && !of.nullable && name !== serial && !Object.hasOwn(defaults, name);
}

const column = (name: string, type: Column['type'], nullable = false): Column => ({ name, type, nullable });
const relationship = (
  name: string,
  kind: Relationship['kind'],
  target: string,
  own: string,
  other: string,
): Relationship => ({
  name,
  kind,
  target,
  columns: [[own, other]],
  declared: other === 'id' ? 'own key' : 'other key',
});
/** Views have no foreign keys. */
const manual = (...args: Parameters<typeof relationship>): Relationship => ({
  ...relationship(...args),
  declared: 'manual',
});
const awardOfBadge = [
  ['player_id', 'player_id'],
  ['kind', 'kind'],
] as const;
const blank = {
  schema: 'public',
  kind: 'table',
  keys: [],
  foreignKeys: [],
  computedFields: [],
  permissions: [],
  rows: [],
} as const;

/** Columns by table, generated ones last. */
export const TABLES: readonly Table[] = [
  {
    ...blank,
    name: 'team',
    columns: [
      column('id', 'int4'),
      column('name', 'text', true),
      column('score', 'int4'),
      column('flag', 'bool', true),
    ],
    primaryKey: ['id'],
    relationships: [
      relationship('players', 'array', 'player', 'id', 'team_id'),
      manual('rookies', 'array', 'rookie', 'id', 'team_id'),
    ],
  },
  {
    ...blank,
    name: 'player',
    columns: [
      column('id', 'int4'),
      column('team_id', 'int4', true),
      column('nick', 'text'),
      column('n', 'int4', true),
      column('info', 'jsonb', true),
      column('mentor_id', 'int4', true),
      column('doubled', 'int4', true),
    ],
    primaryKey: ['id'],
    relationships: [
      relationship('team', 'object', 'team', 'team_id', 'id'),
      relationship('mentor', 'object', 'player', 'mentor_id', 'id'),
      relationship('pupils', 'array', 'player', 'id', 'mentor_id'),
      relationship('badges', 'array', 'badge', 'id', 'player_id'),
      relationship('profile', 'object', 'profile', 'id', 'player_id'),
    ],
  },
  {
    ...blank,
    name: 'badge',
    columns: [column('player_id', 'int4'), column('kind', 'text'), column('points', 'int4')],
    primaryKey: ['player_id', 'kind'],
    relationships: [
      relationship('player', 'object', 'player', 'player_id', 'id'),
      { name: 'awards', kind: 'array', target: 'award', columns: awardOfBadge, declared: 'other key' },
    ],
  },
  {
    ...blank,
    name: 'profile',
    columns: [
      column('id', 'int4'),
      column('player_id', 'int4'),
      column('bio', 'text', true),
      column('sponsor', 'text', true),
    ],
    primaryKey: ['id'],
    relationships: [
      relationship('player', 'object', 'player', 'player_id', 'id'),
      // By a column that may be null.
      manual('notes', 'array', 'award', 'bio', 'note'),
    ],
  },
  {
    ...blank,
    name: 'award',
    columns: [
      column('id', 'int4'),
      column('player_id', 'int4', true),
      column('kind', 'text', true),
      column('note', 'text', true),
    ],
    primaryKey: ['id'],
    relationships: [
      { name: 'badge', kind: 'object', target: 'badge', columns: awardOfBadge, declared: 'own key' },
    ],
  },
  {
    ...blank,
    name: 'rookie',
    kind: 'view',
    columns: [
      column('id', 'int4', true),
      column('team_id', 'int4', true),
      column('nick', 'text', true),
      column('n', 'int4', true),
    ],
    primaryKey: [],
    relationships: [manual('team', 'object', 'team', 'team_id', 'id')],
    view: { table: 'player', notNull: 'n' },
  },
  {
    ...blank,
    name: SIGNUP,
    kind: 'view',
    columns: [
      column('id', 'int4', true),
      column('nick', 'text', true),
      column('n', 'int4', true),
      column('team', 'text', true),
    ],
    primaryKey: [],
    relationships: [
      manual('badges', 'array', 'badge', 'id', 'player_id'),
      manual('pupils', 'array', 'player', 'id', 'mentor_id'),
    ],
  },
];

/** Whether a nested row is inserted before the one that it hangs on, which takes over its key. */
export function isParent({ kind, declared }: Relationship): boolean {
  return kind === 'object' && declared !== 'other key';
}
