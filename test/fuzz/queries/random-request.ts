/** Random requests that a role may send. */
import type { Random } from '../random.ts';
import { type Grant, grantOf } from './lens.ts';
import {
  type ComputedField,
  columnNamed,
  graphqlName,
  hasTrueKey,
  isSingle,
  type Project,
  scalarType,
  type Table,
  tableNamed,
} from './project.ts';
import { type ConditionPlace, randomCondition } from './random-condition.ts';
import { randomAggregateOrder, randomGroups } from './random-groups.ts';
import { BASE_ROLES, INHERITED_ROLES, keysOf, randomSession } from './random-project.ts';
import {
  type AggregateSelection,
  type AggregateValue,
  type Arguments,
  DIRECTIONS,
  type Field,
  type Groups,
  type Key,
  type OrderKey,
  type Request,
  type RootField,
  type Selection,
} from './request.ts';
import { type FuzzType, TYPES } from './types.ts';

export function randomRequest(random: Random, project: Project): Request {
  const roles = [
    ...BASE_ROLES,
    ...INHERITED_ROLES.map(({ name }) => name),
    ...INHERITED_ROLES.map(({ name }) => name),
    'admin',
  ];
  const role = random.pick(
    roles.filter((each) => project.tables.some((table) => grantOf(project, table, each))),
  );
  const relay = random.chance(0.15) && project.tables.some((table) => isNode(project, table, role));
  const writer = createWriter(random, project, role, relay);
  return { role, session: randomSession(random), ...(relay && { relay }), fields: writer() };
}

/** Whether the rows of a table are nodes of the relay API: the role sees the whole key of each row that it sees. */
function isNode(project: Project, table: Table, role: string): boolean {
  const granted = grantOf(project, table, role);
  return (
    granted !== undefined &&
    table.primaryKey.length > 0 &&
    table.primaryKey.every((name) => granted.columns.includes(name) && !granted.masked.has(name))
  );
}

const FUNCTIONS = ['sum', 'avg', 'stddev', 'stddev_pop', 'stddev_samp', 'var_pop', 'var_samp', 'variance'];

/** What follows the name of a relationship or computed field. */
const SUFFIXES: Readonly<Partial<Record<Field['kind'], string>>> = {
  'array aggregate': '_aggregate',
  'computed rows aggregate': '_aggregate',
  'array groups': '_group_by',
};

function createWriter(random: Random, project: Project, role: string, relay: boolean): () => RootField[] {
  const grant = (table: Table): Grant | undefined => grantOf(project, table, role);
  const visible = (table: Table) => grant(table) !== undefined;

  return () => {
    const tables = project.tables.filter((table) => (relay ? isNode(project, table, role) : visible(table)));
    return random.list(random.pick([1, 1, 1, 2, 3]), (index) => rootField(random.pick(tables), `r${index}`));
  };

  function rootField(table: Table, alias: string): RootField {
    const name = graphqlName(table);
    const keys = keysOf(project, table, role);
    const kinds = relay
      ? ['node', 'connection', 'connection']
      : [
          'select',
          'select',
          ...(keys ? ['by key', 'entities'] : []),
          ...(grant(table)!.aggregations ? ['aggregate'] : []),
          ...(offersGroups(table) ? ['groups'] : []),
        ];
    const key = (): Key =>
      keys!.length > 0 && random.chance(0.85)
        ? random.pick(keys!)
        : Object.fromEntries(
            table.primaryKey.map((column) => [column, TYPES[columnNamed(table, column).type].random(random)]),
          );
    const kind = random.pick(kinds);
    switch (kind) {
      case 'by key':
      case 'node':
        return { kind, response: alias, table: table.name, key: key(), selection: selection(table, 2) };
      case 'entities': {
        const count = Math.min(random.between(1, 4), grant(table)!.limit ?? 4);
        const list = random.list(count, key);
        return { kind, response: alias, table: table.name, keys: list, selection: selection(table, 2) };
      }
      case 'connection': {
        // Cursors tell rows apart by their key, which is a key as far as the catalog knows.
        const skip = random.chance(0.6) && hasTrueKey(project, table) ? random.between(1, 4) : 0;
        const { where, orderBy, distinctOn } = randomArguments(table, false, skip > 0);
        const backward = random.chance(0.4);
        return {
          kind,
          response: alias,
          table: table.name,
          arguments: {
            ...(where && { where }),
            ...(orderBy && { orderBy }),
            ...(distinctOn && { distinctOn }),
          },
          backward,
          ...((backward || random.chance(0.7)) && { count: random.between(0, 4) }),
          skip,
          selection: selection(table, 2),
        };
      }
      case 'aggregate':
        return { kind: 'aggregate', response: alias, table: table.name, ...aggregateOf(table, 2) };
      case 'groups':
        return { kind, response: alias, table: table.name, groups: groupsOf(table) };
      default:
        // The field's own name once in a while.
        return {
          kind: 'select',
          response: alias === 'r0' && random.chance(0.3) ? name : alias,
          table: table.name,
          arguments: randomArguments(table, false),
          selection: selection(table, 2),
        };
    }
  }

  function selection(table: Table, depth: number): Selection {
    const granted = grant(table)!;
    const fields: Omit<Field, 'response'>[] = [];
    // In the relay API a node's own column of this name gives way to its global id.
    const hidden = relay && isNode(project, table, role) ? 'id' : undefined;
    for (const name of granted.columns) {
      if (!random.chance(0.4) || name === hidden) continue;
      const path =
        columnNamed(table, name).type === 'jsonb' && random.chance(0.3)
          ? { path: random.pick(['a', 'c', 'z']) }
          : {};
      fields.push({ kind: 'column', name, ...path } as Field);
    }
    for (const { name, kind } of granted.computedFields) {
      if (!random.chance(0.4)) continue;
      const added = kind === 'plus' && random.chance(0.6) ? { added: random.between(-2, 5) } : {};
      fields.push({ kind: 'computed', name, ...added } as Field);
    }
    if (random.chance(0.1)) fields.push({ kind: 'typename' });
    if (depth > 0) {
      for (const { name, kind, target } of table.relationships) {
        const other = tableNamed(project, target);
        if (!visible(other)) continue;
        // What the one of several rows is has to be looked at often.
        const often = kind === 'object' && !isSingle(project, table, name);
        if (random.chance(often ? 0.7 : 0.35)) {
          fields.push(
            kind === 'object'
              ? ({ kind: 'object', name, selection: selection(other, depth - 1) } as Field)
              : ({
                  kind: 'array',
                  name,
                  arguments: randomArguments(other, false),
                  selection: selection(other, depth - 1),
                } as Field),
          );
        }
        if (kind === 'array' && grant(other)!.aggregations && random.chance(0.25))
          fields.push({ kind: 'array aggregate', name, ...aggregateOf(other, depth - 1) } as Field);
        if (kind === 'array' && offersGroups(other) && random.chance(0.2))
          fields.push({ kind: 'array groups', name, groups: groupsOf(other) } as Field);
      }
      for (const field of rowFields(table)) {
        if (!random.chance(0.4)) continue;
        const other = tableNamed(project, field.target);
        fields.push({
          kind: 'computed rows',
          name: field.name,
          arguments: randomArguments(other, false),
          selection: selection(other, depth - 1),
        } as Field);
        if (grant(other)!.aggregations && random.chance(0.5))
          fields.push({
            kind: 'computed rows aggregate',
            name: field.name,
            ...aggregateOf(other, depth - 1),
          } as Field);
      }
    }
    if (fields.length === 0) fields.push({ kind: 'typename' });
    return withAliases(random.shuffle(fields), table);
  }

  function rowFields(table: Table): Extract<ComputedField, { kind: 'rows' }>[] {
    return table.computedFields.flatMap((field) =>
      field.kind === 'rows' && visible(tableNamed(project, field.target)) ? [field] : [],
    );
  }

  /** Own names, names of other columns, and names longer than Postgres keeps. */
  function withAliases(fields: readonly Omit<Field, 'response'>[], table: Table): Selection {
    const taken = new Set<string>();
    return fields.map((field): Field => {
      const own =
        'name' in field ? `${field.name}${SUFFIXES[field.kind as Field['kind']] ?? ''}` : '__typename';
      const choices = [
        own,
        own,
        own,
        `alias${taken.size + 1}`,
        random.pick(table.columns).name,
        `${'long_'.repeat(14)}${taken.size}`,
      ];
      const wanted = random.chance(0.7) ? own : random.pick(choices);
      const response =
        taken.has(wanted) || (wanted.startsWith('long_') && !random.chance(0.3))
          ? `alias${taken.size + 1}`
          : wanted;
      taken.add(response);
      return { ...field, response } as Field;
    });
  }

  function aggregateOf(table: Table, depth: number): { arguments: Arguments; aggregate: AggregateSelection } {
    const aggregate: AggregateSelection[number][] = [];
    if (random.chance(0.85)) {
      const values = random.list(random.between(1, 4), (index) => aggregateValue(table, `v${index}`));
      aggregate.push({ kind: 'aggregate', response: random.chance(0.8) ? 'aggregate' : 'total', values });
    }
    if (random.chance(0.5))
      aggregate.push({ kind: 'nodes', response: 'nodes', selection: selection(table, depth - 1) });
    if (aggregate.length === 0 || random.chance(0.05))
      aggregate.push({ kind: 'typename', response: '__typename' });
    return { arguments: randomArguments(table, true), aggregate: random.shuffle(aggregate) };
  }

  function aggregateValue(table: Table, response: string): AggregateValue {
    const { columns, computedFields } = grant(table)!;
    const members = (fits: (type: FuzzType) => boolean | undefined): string[] => [
      ...columns.filter((name) => fits(TYPES[columnNamed(table, name).type])),
      ...computedFields
        .filter((field) => field.kind !== 'plus' && fits(TYPES[scalarType(field)]))
        .map(({ name }) => name),
    ];
    const numeric = members(({ aggregates }) => aggregates);
    const comparable = members(({ extremes }) => extremes);
    const kind = random.pick(['count', 'count', 'numeric', 'extreme', 'typename']);
    const named = kind === 'numeric' ? numeric : comparable;
    if ((kind === 'numeric' || kind === 'extreme') && named.length > 0) {
      const chosen = random.some(named, 0.6);
      return {
        kind: 'function',
        response,
        name: kind === 'numeric' ? random.pick(FUNCTIONS) : random.pick(['max', 'min']),
        columns: (chosen.length > 0 ? chosen : [named[0]!]).map((name) => ({ name, response: name })),
      };
    }
    if (kind === 'typename' && random.chance(0.3)) return { kind: 'typename', response };
    const counted = random.some(columns, 0.3);
    return {
      kind: 'count',
      response,
      ...(counted.length > 0 && { columns: counted }),
      ...(random.chance(0.5) && { distinct: random.chance(0.6) }),
    };
  }

  /** @param certain the order depends on no row that is any one of several */
  function randomArguments(table: Table, aggregated: boolean, certain = false): Arguments {
    const granted = grant(table)!;
    const where = random.chance(0.5) ? randomCondition(random, placeOf(table)) : undefined;
    const keyed =
      hasTrueKey(project, table) &&
      table.primaryKey.every((name) => granted.columns.includes(name) && !granted.masked.has(name));
    const keys = random.chance(0.5)
      ? random.list(random.between(1, 3), () => orderKey(table)).flatMap((key) => key ?? [])
      : [];
    const limited = random.chance(0.3);
    const complete = keyed && (random.chance(0.5) || limited);
    const sortable = granted.columns.filter((name) => TYPES[columnNamed(table, name).type].compare);
    const distinct =
      complete && sortable.length > 0 && random.chance(0.25)
        ? random.shuffle(sortable).slice(0, random.between(1, 2))
        : undefined;
    const leading = random.shuffle(distinct ?? []).map(
      (name): OrderKey => ({
        through: [],
        key: { kind: 'column', name },
        direction: random.pick(DIRECTIONS),
      }),
    );
    const last = complete
      ? table.primaryKey.map(
          (name): OrderKey => ({
            through: [],
            key: { kind: 'column', name },
            direction: random.pick(DIRECTIONS),
          }),
        )
      : [];
    const isCertain = ({ through }: OrderKey) => leadsToOne(table, through);
    const sorting = certain || distinct || (aggregated && limited) ? keys.filter(isCertain) : keys;
    const orderBy = [...leading, ...sorting, ...last];
    // Which rows an aggregate is about has to be certain; a list may show any of those that are sorted alike.
    const mayLimit = limited && (complete || !aggregated);
    return {
      ...(where && { where }),
      ...(orderBy.length > 0 && { orderBy }),
      ...(distinct && { distinctOn: distinct }),
      ...(mayLimit && random.chance(0.8) && { limit: random.between(0, 4) }),
      ...(mayLimit && random.chance(0.4) && { offset: random.between(0, 3) }),
    };
  }

  function leadsToOne(table: Table, through: readonly string[]): boolean {
    const [name, ...rest] = through;
    if (name === undefined) return true;
    const { target } = table.relationships.find((each) => each.name === name)!;
    return isSingle(project, table, name) && leadsToOne(tableNamed(project, target), rest);
  }

  function placeOf(table: Table): ConditionPlace {
    return {
      project,
      table,
      depth: 2,
      columns: (of) => of.columns.filter(({ name }) => grant(of)!.columns.includes(name)),
      computedFields: (of) =>
        of.computedFields.filter(
          (field) => field.kind === 'rows' || grant(of)!.computedFields.includes(field),
        ),
      visible,
      aggregates: (of) => grant(of)!.aggregations,
    };
  }

  function offersGroups(table: Table): boolean {
    const { aggregations, columns } = grant(table)!;
    return aggregations && columns.length > 0;
  }

  function groupsOf(table: Table): Groups {
    return randomGroups(random, table, grant(table)!, placeOf(table), (response) =>
      aggregateValue(table, response),
    );
  }

  function orderKey(table: Table): OrderKey | undefined {
    const direction = random.pick(DIRECTIONS);
    const through: string[] = [];
    let at = table;
    while (through.length < 2 && random.chance(0.35)) {
      const objects = at.relationships.filter(
        ({ kind, target }) => kind === 'object' && visible(tableNamed(project, target)),
      );
      if (objects.length === 0) break;
      const relationship = random.pick(objects);
      through.push(relationship.name);
      at = tableNamed(project, relationship.target);
    }
    const granted = grant(at)!;
    const aggregated = [
      ...at.relationships
        .filter(({ kind }) => kind === 'array')
        .map(({ name, target }) => ({ name, target: tableNamed(project, target) })),
      ...rowFields(at).map(({ name, target }) => ({ name, target: tableNamed(project, target) })),
    ].filter(({ target }) => grant(target)?.aggregations);
    if (aggregated.length > 0 && random.chance(0.35)) {
      const { name, target } = random.pick(aggregated);
      const key = randomAggregateOrder(random, target, grant(target)!);
      return { through, key: { kind: 'aggregate', of: name, ...key }, direction };
    }
    const scalars = granted.computedFields.filter(({ kind }) => kind !== 'plus');
    if (scalars.length > 0 && random.chance(0.2))
      return { through, key: { kind: 'computed', name: random.pick(scalars).name }, direction };
    const sortable = granted.columns.filter((name) => TYPES[columnNamed(at, name).type].compare);
    return sortable.length === 0
      ? undefined
      : { through, key: { kind: 'column', name: random.pick(sortable) }, direction };
  }
}
