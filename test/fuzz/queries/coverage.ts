/** What a campaign has tried, for the note and for judging the generator. */
import type { Comparison, Condition } from './condition.ts';
import { grantOf } from './lens.ts';
import { isSingle, type Project, type Table, tableNamed } from './project.ts';
import type { AggregateSelection, Arguments, Groups, Request, Selection } from './request.ts';

export class Coverage {
  readonly #counts = new Map<string, Map<string, number>>();

  #add(group: string, item: string): void {
    let counts = this.#counts.get(group);
    if (!counts) {
      counts = new Map();
      this.#counts.set(group, counts);
    }
    counts.set(item, (counts.get(item) ?? 0) + 1);
  }

  addProject(project: Project): void {
    for (const table of project.tables) {
      this.#add('tables', table.view ? table.kind : `key of ${table.primaryKey.length}`);
      if (table.inherits !== undefined) this.#add('tables', 'inherits');
      if (table.view?.outer) this.#add('tables', 'outer join');
      for (const { kind } of table.keys) this.#add('keys', kind);
      for (const { broken } of table.foreignKeys)
        if (broken) this.#add('references that lead nowhere', broken);
      for (const { claimed } of table.columns) if (claimed) this.#add('claimed not to be null', claimed);
      for (const { name, kind, declared, target } of table.relationships) {
        const itself = target === table.name ? ' to itself' : '';
        const several = kind === 'object' && !isSingle(project, table, name) ? ' to several' : '';
        this.#add('relationships', `${kind} by ${declared}${itself}${several}`);
      }
      for (const { kind } of table.computedFields) this.#add('computed fields', kind);
      for (const { filter, limit, aggregations, columns } of table.permissions) {
        this.#add('permissions', 'all');
        if (limit !== undefined) this.#add('permissions', 'with limit');
        if (aggregations) this.#add('permissions', 'with aggregations');
        if (columns.length < table.columns.length) this.#add('permissions', 'on some columns');
        this.#condition('permission', filter, 0);
      }
    }
  }

  addRequest(project: Project, request: Request): void {
    this.#add('roles', request.role);
    for (const field of request.fields) {
      this.#add('root fields', field.kind);
      const table = tableNamed(project, field.table);
      if ('arguments' in field) this.#arguments(field.arguments);
      if (field.kind === 'connection')
        this.#add(
          'connections',
          `${field.backward ? 'last' : 'first'}${field.skip > 0 ? ' by a cursor' : ''}`,
        );
      if (field.kind === 'groups') this.#groups(project, request.role, table, field.groups);
      else if (field.kind === 'aggregate') this.#aggregate(project, request.role, table, field.aggregate, 0);
      else this.#selection(project, request.role, table, field.selection, 0);
    }
  }

  #selection(project: Project, role: string, table: Table, selection: Selection, depth: number): void {
    const masked = grantOf(project, table, role)!.masked;
    for (const field of selection) {
      this.#add('fields by depth', `${field.kind} ${depth}`);
      if ('name' in field && masked.has(field.name)) this.#add('roles', 'masked cell selected');
      if (field.kind === 'array' || field.kind === 'computed rows' || field.kind === 'array aggregate')
        this.#arguments(field.arguments);
      if (field.kind === 'object' || field.kind === 'array')
        this.#selection(project, role, targetOf(project, table, field.name), field.selection, depth + 1);
      if (field.kind === 'array groups')
        this.#groups(project, role, targetOf(project, table, field.name), field.groups);
      if (field.kind === 'array aggregate')
        this.#aggregate(project, role, targetOf(project, table, field.name), field.aggregate, depth + 1);
    }
  }

  #aggregate(project: Project, role: string, table: Table, fields: AggregateSelection, depth: number): void {
    for (const field of fields) {
      if (field.kind === 'nodes') this.#selection(project, role, table, field.selection, depth);
      if (field.kind !== 'aggregate') continue;
      for (const value of field.values) {
        const name = value.kind === 'function' ? value.name : value.kind;
        const how =
          value.kind === 'count'
            ? ` of ${Math.min(value.columns?.length ?? 0, 2)}${value.distinct ? ' distinct' : ''}`
            : '';
        this.#add('aggregates', `${name}${how}`);
      }
    }
  }

  #groups(project: Project, role: string, table: Table, groups: Groups): void {
    const { keys, where, having = [], orderBy = [], limit, offset } = groups;
    const { masked } = grantOf(project, table, role)!;
    this.#add('groups', `keys ${keys.length}`);
    if (keys.some((name) => masked.has(name))) this.#add('groups', 'by a masked cell');
    for (const condition of having)
      this.#add('groups', `having ${condition.function}${condition.distinct ? ' distinct' : ''}`);
    for (const { key } of orderBy)
      this.#add('groups', `order by ${key.kind === 'key' ? 'key' : key.function}`);
    if (where) this.#condition('request', where, 0);
    if (limit !== undefined) this.#add('groups', 'limit');
    if (offset !== undefined) this.#add('groups', 'offset');
  }

  #arguments({ where, orderBy = [], distinctOn, limit, offset }: Arguments): void {
    if (where) this.#condition('request', where, 0);
    for (const { through, key, direction } of orderBy) {
      this.#add(
        'order',
        `${key.kind}${key.kind === 'aggregate' ? ` ${key.function}` : ''} through ${through.length}`,
      );
      this.#add('order', direction);
    }
    if (distinctOn) this.#add('arguments', 'distinct_on');
    if (limit !== undefined) this.#add('arguments', 'limit');
    if (offset !== undefined) this.#add('arguments', 'offset');
    if (where) this.#add('arguments', 'where');
    if (orderBy.length > 0) this.#add('arguments', 'order_by');
  }

  #condition(where: 'permission' | 'request', condition: Condition, depth: number): void {
    switch (condition.kind) {
      case 'object':
        for (const part of condition.parts) this.#condition(where, part, depth);
        return;
      case 'and':
      case 'or':
        this.#add(
          `${where}: structure`,
          `_${condition.kind}${condition.items.length === 0 ? ' of nothing' : ''}`,
        );
        for (const item of condition.items) this.#condition(where, item, depth);
        return;
      case 'not':
        this.#add(`${where}: structure`, '_not');
        this.#condition(where, condition.item, depth);
        return;
      case 'aggregate':
        this.#add('aggregate predicates', `${condition.function} at depth ${depth}`);
        if (condition.where) this.#condition(where, condition.where, depth + 1);
        return;
      case 'exists':
      case 'relationship':
      case 'computed rows':
        this.#add(`${where}: structure`, `${condition.kind} at depth ${depth}`);
        this.#condition(where, condition.item, depth + 1);
        return;
      case 'column':
      case 'computed':
        for (const comparison of condition.comparisons) {
          this.#add(`${where}: structure`, `${condition.kind} at depth ${depth}`);
          this.#add(`${where}: operators by type`, `${condition.type} ${operatorName(comparison)}`);
        }
    }
  }

  /** The counts as text, a group a paragraph; operators as one line a type. */
  report(): string {
    return [...this.#counts]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([group, counts]) => `${group}\n${group.endsWith('by type') ? byFirstWord(counts) : line(counts)}`)
      .join('\n\n');
  }
}

function operatorName(comparison: Comparison): string {
  switch (comparison.kind) {
    case 'null':
      return '_is_null';
    case 'cast':
      return '_cast';
    case 'columns':
      return `${comparison.operator}${comparison.root ? '($)' : ''}`;
    case 'operator':
      return `${comparison.operator}${comparison.operand.kind === 'session' ? '(session)' : ''}`;
  }
}

function line(counts: ReadonlyMap<string, number>): string {
  return `  ${[...counts]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([item, count]) => `${item} ${count}`)
    .join(' · ')}`;
}

function byFirstWord(counts: ReadonlyMap<string, number>): string {
  const rows = new Map<string, Map<string, number>>();
  for (const [item, count] of counts) {
    const [type, operator] = item.split(' ') as [string, string];
    rows.set(type, (rows.get(type) ?? new Map()).set(operator, count));
  }
  return [...rows]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([type, operators]) => `  ${type.padEnd(12)}${line(operators).trim()}`)
    .join('\n');
}

function targetOf(project: Project, table: Table, name: string): Table {
  return tableNamed(project, table.relationships.find((each) => each.name === name)!.target);
}
