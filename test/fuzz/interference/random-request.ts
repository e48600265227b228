/** Random requests with operands that fail, nearly match, or overflow. */
import type { Random } from '../random.ts';
import type { NativeName } from './natives.ts';
import { type TableName, UPSERTED, type World } from './world.ts';

export interface HostileRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Sent as one cohort of a live query. */
  readonly isLive: boolean;
  readonly writes: boolean;
  /** Sent to the API for Relay. */
  readonly relay?: true;
}

const PATTERNS = [
  ...['secret\\', 'secre_\\', 'secret o\\', '%\\', 'mine\\', 's%', 'mine', '', 'a\\\\b', 'ab%c', 'SECRET%\\'],
  ...[
    'secret one',
    '(',
    '[',
    'a{1000}',
    '(ab)*\\1*(ab)*c',
    '(a|b|ab)*c',
    '\\',
    'a"b',
    '\\"a\\"b\\"c\\"',
    '*',
    '.*',
  ],
];
const TEXT_OPERATORS = [
  ...['_eq', '_neq', '_gt', '_lte', '_like', '_like', '_nlike', '_ilike', '_nilike', '_similar', '_nsimilar'],
  ...['_regex', '_iregex', '_nregex', '_niregex'],
];
/** Those that fail for what the request brings, if a visible row is reached. */
const FAILING = new Set(['_similar', '_nsimilar', '_regex', '_iregex', '_nregex', '_niregex']);

interface Leaf {
  readonly type: string;
  readonly operators: readonly string[];
  readonly operands: readonly string[];
  /** No values of the type. */
  readonly bad?: readonly string[];
}

const ORDERED = ['_eq', '_neq', '_gt', '_lt', '_gte', '_lte', '_in', '_nin'];
const area: Leaf = {
  type: 'box',
  operators: ORDERED,
  operands: ['(1,1),(0,0)', '(1e200,1e200),(0,0)'],
  bad: ['no box'],
};
const weight: Leaf = {
  type: 'float8',
  operators: ORDERED,
  operands: ['1', '1e308', 'NaN'],
  bad: ['many', '1e400'],
};
const title: Leaf = { type: 'String', operators: TEXT_OPERATORS, operands: PATTERNS };

const LEAVES: Readonly<Record<TableName, Readonly<Record<string, Leaf>>>> = {
  team: { name: title, weight, area, loud: title },
  item: {
    title,
    label: {
      type: 'bpchar',
      operators: ['_eq', '_like', '_ilike'],
      operands: ['secret\\  ', 'one', 's%', 'secret o\\'],
    },
    nick: { type: 'String', operators: ['_ilike', '_nilike'], operands: ['s%', 'one', 'secret o\\'] },
    amount: {
      type: 'numeric',
      operators: ORDERED,
      operands: ['1', '1e400', 'NaN'],
      bad: ['many', '1e500000'],
    },
    weight,
    area,
    body: {
      type: 'jsonb',
      operators: ['_contains', '_contained_in', '_eq', '_gt'],
      operands: ['{"n": 1}', '"secret"', '[]'],
    },
    pair: { type: 'pair', operators: ['_eq', '_gt'], operands: ['(1,)', '(1,{})'], bad: ['none'] },
    day: { type: 'date', operators: ORDERED, operands: ['2024-01-01', 'infinity'], bad: ['never'] },
    number: { type: 'Int', operators: ORDERED, operands: ['1', '2'], bad: ['x'] },
    loud: { type: 'String', operators: TEXT_OPERATORS, operands: PATTERNS },
  },
  note: { title, weight, area, loud: title },
};

const ONLY_HIDDEN: Readonly<Record<TableName, readonly string[]>> = {
  team: ['name: {_eq: "secret one"}', 'weight: {_gt: 1e307}'],
  item: ['title: {_eq: "secret one"}', 'amount: {_gt: "1e300"}', 'body: {_contains: {n: "x"}}'],
  note: ['title: {_eq: "secret one"}', 'weight: {_gt: 1e307}'],
};

/** Columns by which rows are grouped: equal values are written alike. */
const GROUP_KEYS: Readonly<Record<TableName, readonly string[]>> = {
  team: ['id', 'owner', 'name', 'weight'],
  item: ['id', 'owner', 'title', 'tags', 'body', 'day', 'weight'],
  note: ['id', 'owner', 'title', 'weight'],
};

/** What rows of native queries do not have. */
const NOT_OF_NATIVES = /\b(label|nick|pair|tags|number|loud|own_items|notes_group_by|items_group_by)\b/;

const NATIVE_TABLES = { crews: 'team', entries: 'item', remarks: 'note' } as const;
/** Fields with rows inside, and which. */
const INSIDE: Readonly<Record<NativeName, readonly (readonly [field: string, of: NativeName])[]>> = {
  crews: [['members', 'entries']],
  entries: [['remarks', 'remarks']],
  remarks: [],
};

/** Conditions that fail for each row that they are evaluated for, or for most of those that only hidden rows lead to. */
const TRAPS: Readonly<Record<TableName, readonly ((pattern: () => string) => string)[]>> = {
  team: [
    (pattern) => `name: {_regex: ${pattern()}}`,
    () => 'own_items: {}',
    (pattern) => `own_items: {title: {_like: ${pattern()}}}`,
    (pattern) => `items: {title: {_regex: ${pattern()}}}`,
    () => 'items: {loud: {_is_null: true}}',
    () => 'loud: {_is_null: true}',
    (pattern) => `items_aggregate: {count: {predicate: {_gte: 0}, filter: {title: {_regex: ${pattern()}}}}}`,
    () => 'items: {notes_aggregate: {sum: {arguments: weight, predicate: {_gt: 0}}}}',
  ],
  item: [
    (pattern) => `title: {_similar: ${pattern()}}`,
    (pattern) => `body: {_cast: {String: {_regex: ${pattern()}}}}`,
    () => 'nick: {_nilike: "s%"}',
    () => 'loud: {_eq: "MINE"}',
    () => 'number: {_eq: 1}',
    () => 'area: {_gt: "(1e200,1e200),(0,0)"}',
    (pattern) => `team: {name: {_regex: ${pattern()}}}`,
    (pattern) => `notes: {title: {_regex: ${pattern()}}}`,
    () => 'notes: {loud: {_is_null: true}}',
    (pattern) => `notes_aggregate: {count: {predicate: {_gte: 0}, filter: {title: {_regex: ${pattern()}}}}}`,
    (pattern) => `notes_aggregate: {count: {predicate: {_lt: 9}, filter: {title: {_nregex: ${pattern()}}}}}`,
    () => 'notes_aggregate: {sum: {arguments: weight, predicate: {_gt: 0}}}',
    () => 'notes_aggregate: {avg: {arguments: weight, predicate: {_lt: 0}}}',
    () => 'notes_aggregate: {var_samp: {arguments: weight, predicate: {_gt: 0}}}',
  ],
  note: [
    (pattern) => `title: {_regex: ${pattern()}}`,
    (pattern) => `item: {title: {_regex: ${pattern()}}}`,
    () => 'item: {loud: {_eq: "MINE"}}',
    (pattern) => `item: {team: {name: {_regex: ${pattern()}}}}`,
  ],
};

/** Conditions that fail only where a rule does that they evaluate. */
const RULE_TRAPS: Readonly<Record<TableName, readonly string[]>> = {
  team: ['items: {}', 'items: {title: {_is_null: true}}', 'items_aggregate: {count: {predicate: {_gte: 0}}}'],
  item: [
    ...[
      'notes: {}',
      'notes: {title: {_is_null: true}}',
      'notes: {title: {_is_null: true}}',
      'notes_aggregate: {count: {predicate: {_gte: 0}}}',
    ],
    ...['team: {}', 'team: {id: {_gt: 0}}'],
  ],
  note: ['item: {}', 'item: {title: {_is_null: true}}', 'item: {notes: {}}'],
};

/** The same, where the row at the other end is hidden. */
const DISTANT_TRAPS: Readonly<Record<TableName, readonly ((pattern: () => string) => string)[]>> = {
  team: [
    (pattern) => `items: {title: {_eq: "secret one", _similar: ${pattern()}}}`,
    () => 'items: {title: {_eq: "secret one"}, loud: {_eq: "MINE"}}',
    () => 'items: {loud: {_is_null: true}}',
    () => 'items: {number: {_is_null: true}}',
  ],
  item: [
    (pattern) => `team: {name: {_eq: "secret one", _regex: ${pattern()}}}`,
    (pattern) => `notes: {title: {_eq: "secret one", _iregex: ${pattern()}}}`,
    () => 'notes: {title: {_eq: "secret one"}, loud: {_eq: "MINE"}}',
    () => 'notes: {loud: {_is_null: true}}',
    () => 'team: {loud: {_is_null: true}}',
  ],
  note: [
    (pattern) => `item: {title: {_eq: "secret one", _nregex: ${pattern()}}}`,
    () => 'item: {title: {_eq: "secret one"}, loud: {_eq: "MINE"}}',
    () => 'item: {loud: {_is_null: true}}',
  ],
};

export function randomHostileRequest(random: Random, world: World): HostileRequest {
  const writes = world.role === 'one' && random.chance(0.3);
  const isLive = !writes && random.chance(0.15);
  const values: { readonly name: string; readonly type: string; readonly given: unknown }[] = [];

  const value = (type: string, given: unknown): string => {
    if (random.chance(0.5)) {
      const name = `v${values.length + 1}`;
      values.push({ name, type, given });
      return `$${name}`;
    }
    return graphqlLiteral(given);
  };

  const comparison = ({ type, operators, operands, bad }: Leaf): string => {
    const operator = random.pick(operators);
    // With statistics, plans may differ, and so may which visible row is reached first: nothing visible may fail then.
    const fails = FAILING.has(operator);
    const harmless = fails ? ['s%', 'mine', '.*', '(a|b|ab)*c'] : type === 'box' ? ['(1,1),(0,0)'] : operands;
    const allowed = world.isAnalyzed ? harmless : operands;
    const operand = (): unknown => {
      if (fails && !world.isAnalyzed && random.chance(0.5)) return '(';
      const picked = random.pick(bad && random.chance(isLive ? 0.3 : 0.04) ? bad : allowed);
      return type === 'jsonb'
        ? JSON.parse(picked)
        : type === 'Int' && picked !== 'x'
          ? Number(picked)
          : picked;
    };
    if (operator === '_in' || operator === '_nin')
      return `{${operator}: ${value(`[${type}!]`, random.list(random.between(0, 2), operand))}}`;
    return `{${operator}: ${value(type, operand())}}`;
  };

  const leaf = (table: TableName): string => {
    const of = LEAVES[table];
    const names = Object.keys(of).filter(
      (name) => (name !== 'pair' && name !== 'nick') || (!world.isAnalyzed && random.chance(0.2)),
    );
    const name = random.pick(names);
    if (table === 'item' && random.chance(0.1)) return itemLeaf();
    if (name === 'body' && random.chance(0.6)) return `body: {_cast: {String: ${comparison(title)}}}`;
    return `${name}: ${random.chance(0.06) ? '{_is_null: false}' : comparison(of[name]!)}`;
  };

  const itemLeaf = (): string =>
    random.pick([
      () => `tags: {_contains: ${value('[String!]', ['a'])}}`,
      () => `tags: {_eq: ${value('[String!]', ['secret'])}}`,
      () => `body: {_has_key: ${value('String', 'n')}}`,
      () => `body: {_has_keys_any: ${value('[String!]', ['n', 'k'])}}`,
    ])();

  const aggregate = (name: string, table: TableName, depth: number): string => {
    const filter = random.chance(0.5) ? `, filter: ${condition(table, depth)}` : '';
    return random.pick([
      () => `${name}_aggregate: {count: {predicate: {_gt: ${value('Int', 0)}}${filter}}}`,
      () => {
        const of = random.pick(['avg', 'sum', 'stddev_samp', 'var_samp', 'max']);
        return `${name}_aggregate: {${of}: {arguments: weight, predicate: {_gt: ${value('float8', 0)}}${filter}}}`;
      },
    ])();
  };

  const related = (table: TableName, depth: number): string[] => {
    switch (table) {
      case 'team':
        return [
          `items: ${condition('item', depth)}`,
          `own_items: ${condition('item', depth)}`,
          aggregate('items', 'item', depth),
        ];
      case 'item':
        return [
          `team: ${condition('team', depth)}`,
          `notes: ${condition('note', depth)}`,
          aggregate('notes', 'note', depth),
        ];
      case 'note':
        return [`item: ${condition('item', depth)}`];
    }
  };

  const condition = (table: TableName, depth = 2): string => {
    const trapped = world.roots.length < 3 ? 0.6 : 0.3;
    if (depth > 0 && !world.isAnalyzed && random.chance(trapped)) return trap(table);
    const part = (): string => {
      const kind = random.below(10);
      if (depth > 0 && kind < 4) return random.pick(related(table, depth - 1));
      if (depth > 0 && kind === 4) return `_not: ${condition(table, depth - 1)}`;
      if (depth > 0 && kind === 5)
        return `_or: [${condition(table, depth - 1)}, ${condition(table, depth - 1)}]`;
      if (depth > 0 && kind === 6)
        return `_and: [${condition(table, depth - 1)}, ${condition(table, depth - 1)}]`;
      return leaf(table);
    };
    const parts = random.list(random.pick([1, 1, 2, 2, 3]), part);
    // What only hidden rows meet, so that what else is asked is asked of them.
    if (random.chance(0.4)) parts.unshift(random.pick(ONLY_HIDDEN[table]));
    const byKey = new Map(parts.map((part) => [part.slice(0, part.indexOf(':')), part]));
    return `{${[...byKey.values()].join(', ')}}`;
  };

  /** Reaches hidden rows only, and fails where it does: an error shows that some row was reached before the rule. */
  const trap = (table: TableName): string => {
    const unread = () => `weight: {_lt: ${value('float8', 'many')}}`;
    const isDistant = random.chance(0.3);
    const isOfRules = world.roots.length < 3 && random.chance(0.8);
    const traps = isOfRules
      ? RULE_TRAPS[table].map((text) => () => text)
      : (isDistant ? DISTANT_TRAPS : TRAPS)[table];
    const failing = isLive && random.chance(0.5) ? unread() : random.pick(traps)(() => value('String', '('));
    const wrapped = random.pick([
      () => failing,
      () => failing,
      () => `_not: {${failing}}`,
      () => `_or: [{${failing}}, {id: {_lt: 0}}]`,
      () => `_and: [{id: {_gt: 0}}, {${failing}}]`,
    ])();
    const reached = isDistant ? 'id: {_gt: 0}' : random.pick(ONLY_HIDDEN[table]);
    return `{_and: [{${reached}}, {${wrapped}}]}`;
  };

  const order = (table: TableName): string => {
    const keys = {
      team: ['name', 'weight', 'loud'],
      item: ['title', 'amount', 'number', 'loud', 'day'],
      note: ['title', 'weight', 'loud'],
    };
    const through = {
      team: ['items_aggregate: {sum: {weight: asc}}', 'items_aggregate: {count: desc}'],
      item: [
        'team: {name: asc}',
        'notes_aggregate: {stddev_samp: {weight: desc}}',
        'notes_aggregate: {max: {title: asc}}',
      ],
      note: ['item: {title: desc}', 'item: {number: asc}', 'item: {team: {name: asc}}'],
    };
    const list = [
      ...random.some(keys[table], 0.2).map((key) => `{${key}: ${random.pick(['asc', 'desc'])}}`),
      ...random.some(through[table], 0.2).map((key) => `{${key}}`),
      '{id: asc}',
    ];
    return `order_by: [${list.join(', ')}]`;
  };

  const args = (table: TableName, depth: number): string => {
    const distinct = random.chance(0.1);
    return [
      `where: ${condition(table, depth)}`,
      distinct ? 'distinct_on: [owner], order_by: [{owner: asc}, {id: asc}]' : order(table),
      ...(random.chance(0.3) ? [`limit: ${value('Int', random.between(0, 3))}`] : []),
    ].join(', ');
  };

  const fields: Readonly<Record<TableName, readonly string[]>> = {
    team: ['id', 'name', 'weight', 'area', 'loud'],
    item: ['id', 'title', 'label', 'amount', 'area', 'tags', 'body', 'number', 'loud'],
    note: ['id', 'title', 'weight', 'loud'],
  };
  const below = {
    team: [
      ['items', 'item'],
      ['own_items', 'item'],
    ],
    item: [['notes', 'note']],
    note: [],
  } as const;
  const above = { team: [], item: [['team', 'team']], note: [['item', 'item']] } as const;

  const selection = (table: TableName, depth: number): string => {
    const lists = below[table].flatMap(([name, target]) =>
      depth > 0 && random.chance(0.3)
        ? [`${name}(${args(target, 1)}) {${selection(target, depth - 1)}}`]
        : [],
    );
    const objects = above[table].flatMap(([name, target]) =>
      depth > 0 && random.chance(0.3) ? [`${name} {${selection(target, depth - 1)}}`] : [],
    );
    const nested = [...lists, ...objects];
    const aggregates = below[table].flatMap(([name, target]) =>
      depth > 0 && name !== 'own_items' && random.chance(0.2)
        ? [`${name}_aggregate(where: ${condition(target, 1)}) {${aggregated}}`]
        : [],
    );
    const grouped = below[table].flatMap(([name, target]) =>
      depth > 0 && name !== 'own_items' && random.chance(0.15) ? [`${name}_group_by${groups(target)}`] : [],
    );
    const shown = random.some(fields[table].slice(1), 0.4);
    return ['id', ...shown, ...nested, ...aggregates, ...grouped].join(' ');
  };

  const aggregated = 'aggregate {count sum {weight} stddev_samp {weight}} nodes {id}';

  /** A page, from its begin or from a place that the client made up. */
  const connection = (table: TableName): string => {
    const cursor = Buffer.from(JSON.stringify({ id: random.between(0, 5) })).toString('base64');
    const [size, side] = random.pick([
      ['first', 'after'],
      ['last', 'before'],
    ] as const);
    const place = random.chance(0.4)
      ? `, ${side}: ${value('String', cursor)}, order_by: {id: asc}`
      : `, ${order(table)}`;
    const page = 'pageInfo {hasNextPage hasPreviousPage startCursor endCursor}';
    return `${table}_connection(where: ${condition(table)}, ${size}: ${random.between(1, 4)}${place}) {${page} edges {cursor node {${selection(table, 1)}}}}`;
  };

  const least = (): string => (random.chance(0.5) ? `args: {least: ${value('Int', random.below(5))}}, ` : '');
  /** The text, made again until it asks for nothing that rows of a native query do not have. */
  const asked = (text: () => string): string => {
    for (;;) {
      const made = text();
      if (!NOT_OF_NATIVES.test(made)) return made;
    }
  };
  const has = (name: NativeName) => world.natives.includes(name);
  const wanted = (of: NativeName): string => {
    const own = asked(() => condition(NATIVE_TABLES[of], 1));
    const inside = INSIDE[of].filter(([, target]) => has(target));
    if (inside.length === 0 || random.chance(0.5)) return own;
    const [field, target] = random.pick(inside);
    const further = random.pick([
      () => `${field}: ${wanted(target)}`,
      () => `_not: {${field}: ${wanted(target)}}`,
      () => `${field}_aggregate: {count: {predicate: {_gte: 0}, filter: ${wanted(target)}}}`,
      () => `${field}_aggregate: {sum: {arguments: weight, predicate: {_gt: 0}}}`,
    ])();
    return random.chance(0.5) ? `{_and: [${own}, {${further}}]}` : `{${further}}`;
  };
  /** Rows of a native query or of a model inside of another, with those inside of them. */
  const nativeRows = (of: NativeName, given = ''): string => {
    const table = NATIVE_TABLES[of];
    const inside = INSIDE[of].flatMap(([field, target]) =>
      has(target) && random.chance(0.6)
        ? [
            `${field}${nativeRows(target)}`,
            ...(random.chance(0.3) ? [`${field}_aggregate(where: ${wanted(target)}) {${aggregated}}`] : []),
          ]
        : [],
    );
    const ordered = random.pick([
      () => asked(() => order(table)),
      () => `order_by: [{${INSIDE[of][0]?.[0] ?? 'notes'}_aggregate: {count: asc}}, {id: asc}]`,
    ]);
    const sorting = INSIDE[of].some(([, target]) => has(target)) ? ordered() : asked(() => order(table));
    return `(${given}where: ${wanted(of)}, ${sorting}) {${asked(() => selection(table, 1))} ${inside.join(' ')}}`;
  };

  /** A native query, or tables through it. */
  const native = (): string => {
    const of = random.pick(world.natives);
    const entries = world.natives.includes('entries');
    return random.pick([
      () => `${of}${nativeRows(of, least())}`,
      () => `${of}${nativeRows(of, least())}`,
      () => `${of}_aggregate(${least()}where: ${wanted(of)}) {${aggregated}}`,
      ...(entries && world.roots.includes('team')
        ? [
            () =>
              `team(where: {entries: ${wanted('entries')}}, ${order('team')}) {id entries${nativeRows('entries', least())}}`,
            () =>
              `team(where: {given_entries: ${wanted('entries')}}, order_by: [{given_entries_aggregate: {sum: {weight: asc}}}, {id: asc}]) {id given_entries${nativeRows('entries', least())}}`,
          ]
        : []),
      ...(entries && world.roots.includes('note')
        ? [
            () =>
              `note(where: {entry: ${wanted('entries')}}, order_by: [{entry: {title: asc}}, {id: asc}]) {id entry {id title amount}}`,
          ]
        : []),
    ])();
  };

  /** Changes along one relationship. */
  const relatedChange = (table: TableName): string => {
    const [name, target] = random.pick<readonly [string, TableName]>([...below[table], ...above[table]]);
    const where = `where: ${condition(target)}`;
    const isArray = above[table].every(([other]) => other !== name);
    const update = `{${where}, _set: {${target === 'team' ? 'name' : 'title'}: "theirs"}}`;
    if (!isArray) return `{${name}: {update: ${update}}}`;
    return random.chance(0.5) ? `{${name}: {update: [${update}]}}` : `{${name}: {delete: {${where}}}}`;
  };

  /** Arguments and selection of groups. The keys decide the order, so that there is only one. */
  const groups = (table: TableName): string => {
    const keys = random.shuffle(GROUP_KEYS[table]).slice(0, random.between(1, 2));
    const order = keys.map((key) => `{key: {${key}: ${random.pick(['asc', 'desc'])}}}`);
    const having = random.pick(['count: {', 'avg: {arguments: weight, ', 'max: {arguments: weight, ']);
    return `(keys: [${keys.join(', ')}], ${[
      `order_by: [${order.join(', ')}]`,
      ...(random.chance(0.7) ? [`where: ${condition(table, 1)}`] : []),
      ...(random.chance(0.5)
        ? [`having: {${having}predicate: {_gte: 0}, filter: ${condition(table, 1)}}}`]
        : []),
    ].join(', ')}) {key {${keys.join(' ')}} aggregate {count max {weight}}}`;
  };

  const write = (table: TableName): string => {
    const where = `where: ${condition(table)}`;
    const name = table === 'team' ? 'name' : 'title';
    const returning = `{affected_rows returning {${selection(table, 0)}}}`;
    const change = `_set: {${name}: "mine"}`;
    const deleted = random.pick(world.roots.filter((each) => each !== 'team'));
    return random.pick([
      () => `update_${table}(${where}, ${change}) ${returning}`,
      () => `update_${table}_many(updates: [{${where}, ${change}}]) {affected_rows}`,
      () => `update_${table}(where: {id: {_gt: 0}}, related: ${relatedChange(table)}) ${returning}`,
      () => `update_${table}(${where}, ${change}, related: ${relatedChange(table)}) ${returning}`,
      () => `delete_${deleted}(where: ${condition(deleted)}) {affected_rows}`,
      () => `delete_${deleted}(where: ${condition(deleted)}) {affected_rows}`,
      () => `insert_${table}(objects: [{id: ${random.between(1, UPSERTED)}, owner: 1, open: false, ${name}: "alpha"}],
        on_conflict: {constraint: ${table}_pkey, update_columns: [${name}], ${where}}) ${returning}`,
    ])();
  };

  const tables = (['team', 'item', 'item', 'note'] as const).filter((each) => world.roots.includes(each));
  const table = random.pick(tables);
  const rows = (): string => {
    const where = `(${args(table, 2)}) {${selection(table, 2)}}`;
    const kind = random.below(10);
    if (kind === 0) return `${table}_by_pk(id: ${random.between(1, 9)}) {${selection(table, 2)}}`;
    if (kind > 2 || table !== 'item') return `${table}${where}`;
    const found = `found_items(args: {least_id: ${value('Int', random.below(4))}}, `;
    return `${found}${where.slice(1)}`;
  };
  const isRelay = !writes && random.chance(0.12);
  const isNative = !isRelay && world.natives.length > 0 && random.chance(0.3);
  const isTouch = writes && world.natives.includes('entries') && random.chance(0.25);
  const root = isTouch
    ? `touch${nativeRows('entries', `args: {least: ${value('Int', random.below(5))}}, `)}`
    : writes
      ? write(table)
      : isRelay
        ? connection(table)
        : isNative
          ? native()
          : isLive && random.chance(0.4)
            ? `${table}_stream(batch_size: 3, cursor: {initial_value: {id: ${random.below(3)}}}, where: ${condition(table)}) {${selection(table, 2)}}`
            : random.chance(0.25)
              ? `${table}_aggregate(${args(table, 2)}) {${aggregated}}`
              : random.chance(0.2)
                ? `${table}_group_by${groups(table)}`
                : rows();
  const kind = writes ? 'mutation' : isLive ? 'subscription' : 'query';
  // Of two conditions on one column one was dropped.
  const used = values.filter(({ name }) => new RegExp(`\\$${name}\\b`).test(root));
  const header = used.length > 0 ? `(${used.map(({ name, type }) => `$${name}: ${type}!`).join(', ')})` : '';
  const variables = Object.fromEntries(used.map(({ name, given }) => [name, given]));
  const query = `${kind} ${header} {${root}}`;
  return { query, variables, isLive, writes, ...(isRelay && { relay: true }) };
}

function graphqlLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(graphqlLiteral).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([name, item]) => `${name}: ${graphqlLiteral(item)}`)
      .join(', ')}}`;
  return JSON.stringify(value);
}
