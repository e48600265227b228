/** The operations of a program, and what each relies on in the database. */

import { objectKey } from '../core/names.ts';
import type { Operation } from '../core/proof.ts';
import type { GeneratedProgram, TableResolvers } from '../core/resolvers.ts';
import { ADMIN_ROLE } from '../core/session.ts';
import type { ComputedFieldShape, RelationshipShape, RuleText, TableShape } from '../core/shapes.ts';
import { columnFact, type Fact, factKey, functionFact, requiredFact, tableFact, typeFacts } from './facts.ts';

/** Something a client may call, as a role. */
export interface ServedOperation {
  readonly source: string;
  readonly role: string;
  /** `query article_by_pk`. */
  readonly name: string;
  readonly kind: Operation | 'function';
  /** Key of the table, or of the function. */
  readonly of: string;
  /** Columns that it writes. */
  readonly writes: ReadonlySet<string>;
  /** By key. */
  readonly facts: ReadonlyMap<string, Fact>;
}

type Rule = {
  readonly columns?: readonly string[];
  readonly computedFields?: readonly string[];
  readonly where?: RuleText;
  readonly check?: RuleText;
  readonly presets?: Readonly<Record<string, RuleText>>;
  readonly cells?: Readonly<Record<string, RuleText>>;
  readonly queryRoots?: readonly string[];
  readonly aggregations?: true;
};

/** Everything that the roles of a program may call. */
export function operationsOf(program: GeneratedProgram): ServedOperation[] {
  const tables = new Map(
    program.tables.map((table) => [
      tableId(table.access.table.source.name, keyOf(table.access.table)),
      table,
    ]),
  );
  const find = (source: string, key: string) => tables.get(tableId(source, key));
  const roles = rolesOf(program);
  const ofTables = program.tables.flatMap((table) =>
    roles.flatMap((role) => tableOperations(table, role, find)),
  );
  return [...ofTables, ...functionOperations(program, roles, find)];
}

type Find = (source: string, key: string) => TableResolvers | undefined;

function tableId(source: string, key: string): string {
  return JSON.stringify([source, key]);
}

function keyOf({ schema, name }: TableShape): string {
  return objectKey(schema, name);
}

function rolesOf(program: GeneratedProgram): string[] {
  const roles = new Set<string>(program.withoutAdmin ? [] : [ADMIN_ROLE]);
  for (const { access } of program.tables)
    for (const rules of [access.select, access.insert, access.update, access.delete])
      for (const role of Object.keys(rules ?? {})) roles.add(role);
  for (const { access } of program.functions) for (const role of access.roles ?? []) roles.add(role);
  return [...roles].sort();
}

function operationOf(field: string): Operation {
  return field.slice(0, 6) as Operation;
}

function ruleOf({ access }: TableResolvers, operation: Operation, role: string): Rule | undefined {
  const { table } = access;
  if (operation !== 'select' && table.readOnly?.includes(operation)) return undefined;
  if (role === ADMIN_ROLE)
    return {
      columns: Object.keys(table.columns),
      computedFields: Object.keys(table.computedFields ?? {}),
      aggregations: true,
    };
  const rules: Readonly<Record<string, Rule>> = access[operation] ?? {};
  return Object.hasOwn(rules, role) ? rules[role] : undefined;
}

function tableOperations(resolvers: TableResolvers, role: string, find: Find): ServedOperation[] {
  const { table } = resolvers.access;
  const fields = [
    ...Object.entries(resolvers.query ?? {}).map(([name, { field }]) => ['query', name, field] as const),
    ...Object.entries(resolvers.mutation ?? {}).map(
      ([name, { field }]) => ['mutation', name, field] as const,
    ),
  ];
  const known = new Map<Operation, ReadonlyMap<string, Fact>>();
  return fields.flatMap(([root, name, field]) => {
    const operation = operationOf(field);
    const rule = ruleOf(resolvers, operation, role);
    if (!rule || (rule.queryRoots && root === 'query' && !rule.queryRoots.includes(field))) return [];
    if (field === 'select_aggregate' && !rule.aggregations) return [];
    const facts = known.get(operation) ?? factsOf(resolvers, operation, rule, role, find);
    known.set(operation, facts);
    const key = field.endsWith('_by_pk') ? keyFact(table) : undefined;
    return [
      {
        source: table.source.name,
        role,
        name: `${root} ${name}`,
        kind: operation,
        of: keyOf(table),
        writes: new Set(
          operation === 'select' ? [] : [...(rule.columns ?? []), ...Object.keys(rule.presets ?? {})],
        ),
        facts: key ? new Map([...facts, [factKey(key), key]]) : facts,
      },
    ];
  });
}

function keyFact(table: TableShape): Fact | undefined {
  const { primaryKey } = table;
  return primaryKey && { kind: 'key', table: keyOf(table), ...primaryKey };
}

/** What an operation of a role relies on, relationships that it may follow included, but not what they lead to. */
function factsOf(
  resolvers: TableResolvers,
  operation: Operation,
  rule: Rule,
  role: string,
  find: Find,
): ReadonlyMap<string, Fact> {
  const { table } = resolvers.access;
  const { source } = table;
  const facts = new Map<string, Fact>();
  const add = (fact: Fact | undefined) => {
    if (fact) facts.set(factKey(fact), fact);
  };
  const addColumn = (of: TableShape, name: string) => {
    const fact = columnFact(of, name);
    add(fact);
    if (fact?.kind === 'column') for (const each of typeFacts(source, fact.type)) add(each);
    const values = of.columns[name]?.enumTable;
    const enumTable = values === undefined ? undefined : find(source.name, values)?.access.table;
    if (enumTable?.enumValues)
      add({
        kind: 'enum values',
        table: keyOf(enumTable),
        values: Object.keys(enumTable.enumValues).sort(),
      });
  };
  add(tableFact(table));
  for (const column of [...(rule.columns ?? []), ...Object.keys(rule.presets ?? {})])
    addColumn(table, column);
  for (const text of [rule.where, rule.check, ...Object.values(rule.cells ?? {})]) {
    for (const [key, column] of text === undefined ? [] : columnsOfRule(text, keyOf(table))) {
      const named = find(source.name, key)?.access.table;
      if (named) addColumn(named, column);
    }
  }
  if (operation === 'insert') {
    add(requiredFact(table));
    add(keyFact(table));
    for (const [name, columns] of Object.entries(table.unique ?? {}))
      add({ kind: 'key', table: keyOf(table), name, columns });
  }
  if (operation !== 'select') return facts;
  for (const name of rule.computedFields ?? []) {
    const field: ComputedFieldShape | undefined = table.computedFields?.[name];
    if (field) add(functionFact(field.function, field));
  }
  for (const relationship of Object.values<RelationshipShape>(table.relationships ?? {})) {
    const target = find(source.name, relationship.target);
    if (!target || !ruleOf(target, 'select', role)) continue;
    for (const [own, other] of Object.entries(relationship.columns)) {
      addColumn(table, own);
      addColumn(target.access.table, other);
    }
    if (relationship.notNull)
      add({
        kind: 'foreign key',
        table: keyOf(table),
        target: relationship.target,
        columns: relationship.columns,
      });
  }
  return facts;
}

function functionOperations(
  program: GeneratedProgram,
  roles: readonly string[],
  find: Find,
): ServedOperation[] {
  return program.functions.flatMap(({ access, query, mutation }) => {
    const shape = access.function;
    const returned = find(shape.source.name, shape.returns.table);
    const fact = functionFact(shape, shape);
    const fields = [
      ...Object.entries(query ?? {}).map(([name, { field }]) => [`query ${name}`, field] as const),
      ...Object.entries(mutation ?? {}).map(([name, { field }]) => [`mutation ${name}`, field] as const),
    ];
    return roles.flatMap((role) => {
      const rule = returned && ruleOf(returned, 'select', role);
      // A query may be inferred from the rows it returns; whether it is, is an option of the server.
      if (!rule || (role !== ADMIN_ROLE && mutation && !access.roles?.includes(role))) return [];
      const facts = new Map([[factKey(fact), fact], ...factsOf(returned, 'select', rule, role, find)]);
      const offered = fields.filter(([, field]) => field === 'function' || rule.aggregations);
      return offered.map(([name]) => ({
        source: shape.source.name,
        role,
        name,
        kind: 'function' as const,
        of: objectKey(shape.schema, shape.name),
        writes: new Set<string>(),
        facts,
      }));
    });
  });
}

const IDENTIFIER = '"(?:[^"]|"")+"';
const TABLES = new RegExp(`\\b(?:from|join) (${IDENTIFIER})\\.(${IDENTIFIER}) as (${IDENTIFIER})`, 'g');
const COLUMNS = new RegExp(`(\\{row\\}|${IDENTIFIER})\\.(${IDENTIFIER})`, 'g');

/** Columns that a rule names, as key of the table and name; `{row}` is the table that the rule belongs to. */
export function columnsOfRule(text: RuleText, table: string): [table: string, column: string][] {
  const plain = (quoted: string) => quoted.slice(1, -1).replaceAll('""', '"');
  const aliases = new Map([['{row}', table]]);
  for (const [, schema, name, alias] of text.matchAll(TABLES))
    aliases.set(alias!, objectKey(plain(schema!), plain(name!)));
  return [...text.matchAll(COLUMNS)].flatMap(([, alias, column]): [string, string][] => {
    const of = aliases.get(alias!);
    return of === undefined ? [] : [[of, plain(column!)]];
  });
}
