/**
 * Two databases that differ only in what a role may not see: in cells of hidden rows, in cells that a mask hides, and in
 * further hidden rows. What is hidden is made to fail: texts that patterns nearly match, numbers that overflow, values that
 * functions cannot read. What is visible fails for nothing but what a request itself brings. The rules of some worlds can
 * fail for hidden rows, too.
 */
import type { JsonObject } from '../../../runtime/metadata/metadata.ts';
import { defaultSource } from '../../harness/metadata.ts';
import type { Random } from '../random.ts';
import { type NativeName, nativesOf, offeredNatives } from './natives.ts';

/** Functions that cost less than a comparison, so that Postgres evaluates them first. */
const SCHEMA = `
drop schema if exists public cascade; create schema public;
create type pair as (a int, j json);
create collation loose (provider = icu, locale = 'und', deterministic = false);
create table team (id int primary key, owner int not null, open boolean not null, name text, weight float8, area box);
create table item (
  id int primary key, team_id int references team, owner int not null, open boolean not null, title text, label char(12),
  nick text collate loose,
  amount numeric, weight float8, area box, tags text[], body jsonb, pair pair, day date
);
create table note (
  id int primary key, item_id int references item on delete cascade, owner int not null, open boolean not null,
  title text, weight float8, area box
);
create index on item (title text_pattern_ops); create index on item (amount);
create function item_number(item) returns int language plpgsql stable cost 0.1 as
  $$ begin return ($1.body ->> 'n')::int; end $$;
create function item_loud(item) returns text language plpgsql stable cost 0.1 as
  $$ begin if $1.title like 'secret%' then raise exception 'a secret'; end if; return upper($1.title); end $$;
create function note_loud(note) returns text language plpgsql stable cost 0.1 as
  $$ begin if $1.title like 'secret%' then raise exception 'a secret'; end if; return upper($1.title); end $$;
create function team_loud(team) returns text language plpgsql stable cost 0.1 as
  $$ begin if $1.name like 'secret%' then raise exception 'a secret'; end if; return upper($1.name); end $$;
create function team_own_items(team) returns setof item language plpgsql stable cost 0.1 as
  $$ begin
    if $1.owner = 2 and not $1.open and $1.name like 'secret%' then raise exception 'a secret'; end if;
    return query select * from item where team_id = $1.id order by id;
  end $$;
create function found_items(least_id int) returns setof item language sql stable as
  $$ select * from item where id >= least_id $$;
`;

const TABLES = ['team', 'item', 'note'] as const;
export type TableName = (typeof TABLES)[number];

/** Columns whose values decide what is visible, or are keys: the same in both databases. */
const STRUCTURE: Readonly<Record<TableName, readonly string[]>> = {
  team: ['id', 'owner', 'open'],
  item: ['id', 'team_id', 'owner', 'open'],
  note: ['id', 'item_id', 'owner', 'open'],
};

const TEXTS = ['mine', 'alpha', 'beta%', 'a\\b', '', 'Mine'];
const HIDDEN_TEXTS = [
  ...['secret one', 'secret one', 'secret two', 'secrets', 'mine', '', 'mine too'],
  `${'ab'.repeat(400)}c`,
];
const WEIGHTS = ['1.5', '2', '-0.25', '0'];
const HIDDEN_WEIGHTS = ['1e308', '-1e308', '1.7e308', '2', 'NaN', 'Infinity'];
/** Any two of them overflow together. */
const HUGE_WEIGHTS = ['1e308', '1.5e308', '1.7e308'];
const AREAS = ['(1,1),(0,0)', '(2,2),(1,1)', '(3,1),(0,0)'];
const HIDDEN_AREAS = ['(1e200,1e200),(0,0)', '(1e300,1e300),(-1e300,-1e300)', '(1,1),(0,0)'];

/** Values of the columns besides the structure: harmless ones, and those of hidden cells. */
const CONTENT: Readonly<
  Record<TableName, Readonly<Record<string, readonly [shown: readonly string[], hidden: readonly string[]]>>>
> = {
  team: { name: [TEXTS, HIDDEN_TEXTS], weight: [WEIGHTS, HIDDEN_WEIGHTS], area: [AREAS, HIDDEN_AREAS] },
  item: {
    title: [TEXTS, HIDDEN_TEXTS],
    label: [
      ['one', 'two', ''],
      ['secret one', 'secret', 'one'],
    ],
    nick: [
      ['one', 'two'],
      ['secret', 'one'],
    ],
    amount: [
      ['1', '2.50', '-3'],
      ['1e400', '-1e400', '1', 'NaN'],
    ],
    weight: [WEIGHTS, HIDDEN_WEIGHTS],
    area: [AREAS, HIDDEN_AREAS],
    tags: [
      ['{}', '{a}', '{a,b}', '{"",null}'],
      ['{{a,b},{c,d}}', '{secret}', '{a}', '{null}'],
    ],
    body: [
      ['{"n": 1}', '{"n": 2, "k": "a"}', '{}'],
      ['{"n": "x"}', '{"n": {}}', '"secret"', '[1, 2]', '{"n": 99999999999}'],
    ],
    pair: [
      ['(1,)', '(2,{})'],
      ['(1,"{""a"": 1}")', '(3,[])'],
    ],
    day: [
      ['2024-01-01', '2024-02-01'],
      ['infinity', '-infinity', '4713-01-01 BC'],
    ],
  },
  note: { title: [TEXTS, HIDDEN_TEXTS], weight: [WEIGHTS, HIDDEN_WEIGHTS], area: [AREAS, HIDDEN_AREAS] },
};

type Row = Readonly<Record<string, string | null>>;
type Rows = Readonly<Record<TableName, readonly Row[]>>;

/** A rule: what metadata says, and which rows it shows. */
interface Rule {
  readonly filter: JsonObject;
  readonly shows: (row: Row, rows: Rows) => boolean;
  /** Rows of another table whose cells the rule reads although the role may not: they fail for nothing. */
  readonly reads?: { readonly table: TableName; readonly row: (row: Row) => boolean };
  /** The table has no root fields: only rows that a visible row leads to are asked, and all of these are shown. */
  readonly isWithoutRoots?: true;
}

const user = 'X-Engine-User-Id';
const isMine = (row: Row | undefined) => row?.owner === '1';
const never = ['q', 'r', 's', 't', 'u', 'v'].map((text) => `never ${text}`);
const text: Readonly<Record<TableName, string>> = { team: 'name', item: 'title', note: 'title' };

const small: JsonObject = { area: { _lte: '(1000,1000),(0,0)' } };
/** Costs less than any comparison of columns, so that Postgres evaluates it first. */
const cheap: JsonObject = { loud: { _is_null: false } };
/** Fails for hidden rows, and holds for all others. */
const FAILING: Readonly<Record<TableName, readonly JsonObject[]>> = {
  team: [cheap, cheap, small, { _or: [{ own_items: { id: { _gt: 0 } } }, { id: { _gt: 0 } }] }],
  item: [cheap, cheap, cheap, small, { number: { _neq: 99 } }],
  note: [cheap, cheap, small],
};

/** Rules that can fail for rows that their other parts hide. */
function failingRulesOf(random: Random, table: TableName): Rule[] {
  const fails = (of: TableName) => random.pick(FAILING[of]);
  const ruled = (rule: Rule): Rule[] => [
    { ...rule, filter: { _and: [fails(table), rule.filter] } },
    { ...rule, filter: { _not: { _or: [{ _not: fails(table) }, { _not: rule.filter }] } } },
  ];
  const [mine] = rulesOf(table);
  const near = { team: ['items', 'item'], item: ['team', 'team'], note: ['item', 'item'] } as const;
  const [name, other] = near[table];
  const joined = rulesOf(table).find(({ filter }) => name in filter)!;
  const readsOther: Rule = {
    filter: { [name]: { _and: [fails(other), { owner: { _eq: user } }] } },
    shows: joined.shows,
    reads: { table: other, row: isMine },
  };
  return [...ruled(mine!), ...ruled(joined), readsOther, readsOther];
}

/** Rules by which those of related tables follow from each other. */
function impliedRules(random: Random): Record<TableName, Rule> {
  const rule = (table: TableName, key: string) => rulesOf(table).find(({ filter }) => key in filter)!;
  return random.chance(0.5)
    ? { team: rule('team', 'owner'), item: rule('item', 'team'), note: rule('note', 'owner') }
    : { team: rule('team', 'owner'), item: rule('item', 'owner'), note: rule('note', 'item') };
}

function rulesOf(table: TableName): Rule[] {
  const mine: Rule = { filter: { owner: { _eq: user } }, shows: isMine };
  const parent = { team: undefined, item: 'team', note: 'item' } as const;
  const above = parent[table];
  // Costs more than any condition of a client, so it is evaluated last.
  const costly: Rule = {
    filter: { _or: [{ owner: { _eq: user } }, ...never.map((value) => ({ [text[table]]: { _eq: value } }))] },
    shows: isMine,
  };
  const parentOf = (row: Row, rows: Rows) =>
    above && rows[above].find(({ id }) => id !== null && id === row[`${above}_id`]);
  const joined: Rule[] = above
    ? [
        {
          filter: { [above]: { owner: { _eq: user } } },
          shows: (row, rows) => isMine(parentOf(row, rows)),
        },
      ]
    : [
        {
          filter: { items: { owner: { _eq: user } } },
          shows: (row, rows) => rows.item.some((item) => item.team_id === row.id && isMine(item)),
        },
      ];
  return [
    mine,
    costly,
    costly,
    costly,
    {
      filter: { _or: [{ owner: { _eq: user } }, { open: { _eq: true } }] },
      shows: (row) => isMine(row) || row.open === 'true',
    },
    { filter: {}, shows: () => true },
    // Becomes a semijoin, so Postgres evaluates every condition of a client on the row before it, subselects included.
    ...Array.from({ length: 5 }, () => joined).flat(),
    ...(above
      ? [
          {
            filter: { _and: [{ owner: { _eq: user } }, { [above]: { owner: { _eq: user } } }] },
            shows: (row: Row, rows: Rows) => isMine(row) && isMine(parentOf(row, rows)),
          },
        ]
      : []),
  ];
}

/** Columns that the second parent of the role `heir` shows, of open rows. */
const SHOWN_OF_OPEN: Readonly<Record<TableName, readonly string[]>> = {
  team: ['id', 'owner', 'open', 'weight'],
  item: ['id', 'team_id', 'owner', 'open', 'amount', 'tags'],
  note: ['id', 'item_id', 'owner', 'open'],
};

export interface World {
  /** Tables with root fields. */
  readonly roots: readonly TableName[];
  /** Native queries that the rules allow for. */
  readonly natives: readonly NativeName[];
  readonly role: 'one' | 'heir';
  readonly metadata: JsonObject;
  readonly schema: string;
  /** Fills the tables of each of the two databases. */
  readonly rows: readonly [string, string];
  /** Settings of both databases. */
  readonly settings: Readonly<Record<string, string>>;
  /** The planner knows what the rows hold. */
  readonly isAnalyzed: boolean;
}

/** Requests insert rows with keys up to this one: rows that are in the way are in both databases. */
export const UPSERTED = 4;

const SETTINGS = [
  'enable_hashjoin',
  'enable_mergejoin',
  'enable_nestloop',
  'enable_seqscan',
  'enable_indexscan',
];

/** @param kinds of rules to choose from */
export function randomWorld(random: Random, kinds: readonly Kind[] = KINDS): World {
  const kind = random.pick(kinds);
  // Visible notes of hidden items, whose rule is a semijoin: the way to aggregates over them is short.
  const isOfNotes = kind === 'notes';
  const rules = randomRules(random, kind);
  const role = random.chance(0.35) ? 'heir' : 'one';
  const structure = randomStructure(random);
  const isShown = (table: TableName, row: Row): boolean =>
    rules[table].isWithoutRoots
      ? neighbours(table, row, structure).some(
          ([other, each]) => rules[other].shows(each, structure) || (role === 'heir' && each.open === 'true'),
        )
      : rules[table].shows(row, structure);
  const isRead = (table: TableName, row: Row) =>
    TABLES.some((each) => rules[each].reads?.table === table && rules[each].reads.row(row));
  const isVisible = (table: TableName, row: Row, column: string): boolean => {
    if (isShown(table, row) || isRead(table, row)) return true;
    return role === 'heir' && row.open === 'true' && SHOWN_OF_OPEN[table].includes(column);
  };
  const isAnalyzed = random.chance(0.25);
  // A rule that is left out because it follows shows hidden rows with the key of a visible one.
  const hasHeirs = random.chance(kind === 'implied' ? 0.7 : 0.25);
  // Aggregates of visible notes overflow, but only for those who ask for hidden items. With statistics, plans may differ.
  const overflowing = isOfNotes ? [HUGE_WEIGHTS] : [WEIGHTS, HIDDEN_WEIGHTS, HUGE_WEIGHTS];
  const weights = isAnalyzed ? WEIGHTS : random.pick(overflowing);
  const shown = fill(structure, (table, row, column, [benign]) =>
    isVisible(table, row, column)
      ? random.pick(table === 'note' && column === 'weight' ? weights : benign)
      : null,
  );
  const isGone = (table: TableName, row: Row): boolean =>
    !STRUCTURE[table].some((column) => isVisible(table, row, column)) &&
    Number(row.id) > UPSERTED &&
    // Teams may be visible by an item of the user.
    !(table === 'item' && isMine(row)) &&
    !TABLES.some((other) => structure[other].some((each) => each[`${table}_id`] === row.id));
  const database = (isTame: boolean): string => {
    const rows = fill(structure, (table, row, column, [benign, hostile]) =>
      isVisible(table, row, column)
        ? shown[table].find(({ id }) => id === row.id)![column]!
        : random.pick(isTame ? benign : hostile),
    );
    const isHidden = (table: TableName, row: Row) => !isShown(table, row);
    const further = moreHidden(random, structure, isTame, isHidden);
    const heirs = hasHeirs ? moreHidden(random, structure, isTame, isHidden, true) : undefined;
    const gone = random.chance(0.5) ? 0.8 : 0;
    const kept = (table: TableName) =>
      rows[table].filter((row) => !isGone(table, row) || !random.chance(gone));
    return insertSql({ team: kept('team'), item: kept('item'), note: kept('note') }, further, heirs);
  };
  // What fails for a hidden row mostly fails in one of the databases only.
  const isTame = random.chance(0.5);
  return {
    roots: TABLES.filter((table) => !rules[table].isWithoutRoots),
    natives: offeredNatives(rules),
    role,
    metadata: worldMetadata(rules),
    schema: [
      SCHEMA,
      ...(random.chance(0.5) ? ['create index on note (item_id);'] : []),
      ...(hasHeirs ? TABLES.map((table) => `create table ${heirOf(table)} () inherits (${table});`) : []),
    ].join('\n'),
    rows: [database(isTame), database(random.chance(0.7) ? !isTame : isTame)],
    settings: {
      plan_cache_mode: random.pick(['auto', 'force_generic_plan', 'force_generic_plan', 'force_custom_plan']),
      ...Object.fromEntries(random.some(SETTINGS, 0.2).map((name) => [name, 'off'])),
    },
    isAnalyzed,
  };
}

const KINDS = [
  ...['plain', 'plain', 'plain', 'notes', 'notes', 'notes'],
  ...['implied', 'implied', 'failing', 'failing', 'without roots', 'without roots'],
] as const;
type Kind = (typeof KINDS)[number];

function randomRules(random: Random, kind: Kind): Record<TableName, Rule> {
  if (kind === 'implied') return impliedRules(random);
  const rules = Object.fromEntries(
    TABLES.map((table) => {
      const plain = rulesOf(table).filter(({ filter }) => kind !== 'notes' || isShort(table, filter));
      return [
        table,
        random.pick(kind === 'failing' && random.chance(0.7) ? failingRulesOf(random, table) : plain),
      ];
    }),
  ) as Record<TableName, Rule>;
  if (kind !== 'without roots') return rules;
  // A semijoin, so that what leads to the table without roots may come before it.
  for (const each of TABLES) if (random.chance(0.8)) rules[each] = rulesOf(each).find(isJoined)!;
  const table = random.pick(['item', 'note', 'note'] as const);
  const rule: Rule = { filter: random.pick(FAILING[table]), shows: () => false, isWithoutRoots: true };
  return { ...rules, [table]: rule };
}

function isJoined({ filter }: Rule): boolean {
  return 'team' in filter || 'item' in filter || 'items' in filter;
}

/** The rows that relationships connect a row with. */
function neighbours(table: TableName, row: Row, rows: Rows): (readonly [TableName, Row])[] {
  const all: (readonly [TableName, Row])[] = TABLES.flatMap((other) =>
    rows[other].map((each) => [other, each] as const),
  );
  return all.filter(
    ([other, each]) => (row[`${other}_id`] ?? '') === each.id || (each[`${table}_id`] ?? '') === row.id,
  );
}

function isShort(table: TableName, filter: JsonObject): boolean {
  if (table === 'item') return 'team' in filter;
  return table === 'team' || Object.keys(filter).length === 0;
}

function randomStructure(random: Random): Rows {
  const row = (index: number, rest: Row = {}): Row => ({
    id: String(index + 1),
    owner: random.chance(0.55) ? '1' : '2',
    open: String(random.chance(0.3)),
    ...rest,
  });
  const reference = (count: number) => (random.chance(0.9) ? String(random.between(1, count)) : null);
  return {
    team: random.list(4, (index) => row(index)),
    item: random.list(9, (index) => row(index, { team_id: reference(4) })),
    note: random.list(14, (index) => row(index, { item_id: reference(random.pick([4, 9])) })),
  };
}

function fill(
  structure: Rows,
  value: (
    table: TableName,
    row: Row,
    column: string,
    values: readonly [readonly string[], readonly string[]],
  ) => string | null,
): Rows {
  return Object.fromEntries(
    TABLES.map((table) => [
      table,
      structure[table].map((row) => ({
        ...row,
        ...Object.fromEntries(
          Object.entries(CONTENT[table]).map(([column, values]) => [
            column,
            value(table, row, column, values),
          ]),
        ),
      })),
    ]),
  ) as unknown as Rows;
}

/** A table whose rows are found in another one, too, where their keys may repeat those of visible rows. */
const heirOf = (table: TableName) => `${table}_heir`;

/**
 * Rows that only one of the databases has. Their keys are no request's business.
 * @param isInherited their keys are those of other rows
 */
function moreHidden(
  random: Random,
  structure: Rows,
  isTame: boolean,
  isHidden: (table: TableName, row: Row) => boolean,
  isInherited = false,
): Rows {
  const further = (table: TableName): Row[] =>
    random
      .list(isInherited ? random.between(2, 6) : random.below(4), (index): Row => {
        const references = Object.fromEntries(
          STRUCTURE[table]
            .filter((column) => column.endsWith('_id'))
            .map((column) => [
              column,
              random.pick([
                null,
                ...structure[column.slice(0, -3) as TableName].slice(0, UPSERTED).map(({ id }) => id!),
              ]),
            ]),
        );
        const content = Object.entries(CONTENT[table]).map(([column, [benign, hostile]]) => [
          column,
          random.pick(isTame ? benign : hostile),
        ]);
        return {
          id: isInherited ? random.pick(structure[table]).id! : String(101 + index),
          owner: '2',
          open: 'false',
          ...references,
          ...Object.fromEntries(content),
        };
      })
      .filter((row) => isHidden(table, row));
  return { team: further('team'), item: further('item'), note: further('note') };
}

function insertSql(rows: Rows, further: Rows, heirs: Rows | undefined): string {
  const insert = (table: TableName, into: string, all: readonly Row[]) => {
    if (all.length === 0) return [];
    const columns = [...STRUCTURE[table], ...Object.keys(CONTENT[table])];
    const values = all.map((row) => `(${columns.map((column) => literal(row[column] ?? null)).join(', ')})`);
    return [`insert into ${into} (${columns.join(', ')}) values ${values.join(',\n')};`];
  };
  return [
    // With the rows of tables that inherit.
    'truncate team, item, note;',
    ...TABLES.flatMap((table) => insert(table, table, [...rows[table], ...further[table]])),
    ...TABLES.flatMap((table) => (heirs ? insert(table, heirOf(table), heirs[table]) : [])),
  ].join('\n');
}

function literal(value: string | null): string {
  return value === null ? 'null' : `'${value.replaceAll("'", "''")}'`;
}

function worldMetadata(rules: Readonly<Record<TableName, Rule>>): JsonObject {
  const columns = (table: TableName) => [...STRUCTURE[table], ...Object.keys(CONTENT[table])];
  const computed = { team: ['loud'], item: ['number', 'loud'], note: ['loud'] } as const;
  const permissions = (table: TableName) => {
    const { filter, isWithoutRoots } = rules[table];
    const all = columns(table);
    const roots = isWithoutRoots && { query_root_fields: [], subscription_root_fields: [] };
    const writes = {
      insert_permissions: [{ role: 'one', permission: { columns: all, check: {} } }],
      update_permissions: [{ role: 'one', permission: { columns: all, filter } }],
      delete_permissions: [{ role: 'one', permission: { filter } }],
    };
    return {
      select_permissions: [
        {
          role: 'one',
          permission: {
            columns: all,
            filter,
            computed_fields: [...computed[table]],
            allow_aggregations: true,
            ...roots,
          },
        },
        {
          role: 'two',
          permission: {
            columns: [...SHOWN_OF_OPEN[table]],
            filter: { open: { _eq: true } },
            allow_aggregations: true,
            ...roots,
          },
        },
      ],
      ...(isWithoutRoots ? {} : writes),
    };
  };
  const field = (name: string, table: TableName) => ({ name, definition: { function: `${table}_${name}` } });
  const many = (name: string, table: TableName, column: string) => ({
    name,
    using: { foreign_key_constraint_on: { table, column } },
  });
  const one = (name: string) => ({ name, using: { foreign_key_constraint_on: `${name}_id` } });
  const { ofTeams, ofNotes, ...native } = nativesOf(rules, SHOWN_OF_OPEN);
  const tables = [
    {
      table: 'team',
      array_relationships: [many('items', 'item', 'team_id'), ...ofTeams],
      computed_fields: [field('own_items', 'team'), field('loud', 'team')],
      ...permissions('team'),
    },
    {
      table: 'item',
      object_relationships: [one('team')],
      array_relationships: [many('notes', 'note', 'item_id')],
      computed_fields: [field('number', 'item'), field('loud', 'item')],
      ...permissions('item'),
    },
    {
      table: 'note',
      object_relationships: [one('item'), ...ofNotes],
      computed_fields: [field('loud', 'note')],
      ...permissions('note'),
    },
  ];
  return {
    version: 3,
    sources: [defaultSource({ tables, functions: [{ function: 'found_items' }], ...native })],
    inherited_roles: [{ role_name: 'heir', role_set: ['one', 'two'] }],
  } as unknown as JsonObject;
}
