/** The operations of a program, and what each relies on in the database. */

import { columnsOfRule } from '../../core/condition/reads.ts';
import {
  type AnyRule,
  type Aspect,
  OPERATIONS,
  ruleOf,
  type TableOperation,
  textPartsOf,
} from '../../core/contract/aspects.ts';
import type {
  ComputedFieldShape,
  RelationshipShape,
  TableAccess,
  TableShape,
} from '../../core/contract/shapes.ts';
import { DECLARED_SCHEMA, keyOf, objectKey } from '../../core/names.ts';
import type { GeneratedProgram } from '../../core/program/resolvers.ts';
import { fieldEntries } from '../../core/program/root-fields.ts';
import { offer, operationOf } from '../../core/schema/offer.ts';
import { everything, rulesOf } from '../../core/schema/visible-table.ts';
import { ADMIN_ROLE } from '../../core/session.ts';
import {
  bodyFact,
  columnFact,
  definitionsFact,
  type Fact,
  factKey,
  functionFact,
  requiredFact,
  tableFact,
  typeFacts,
} from './facts.ts';

/** Something a client may call, as a role. */
export interface ServedOperation {
  readonly source: string;
  readonly role: string;
  /** `query article_by_pk`. */
  readonly name: string;
  readonly kind: TableOperation | 'function';
  /** Key of the table, or of the function. */
  readonly of: string;
  /** Columns that it writes. */
  readonly writes: ReadonlySet<string>;
  /** Facts that the operation relies on, by key; operations share equal lists. */
  readonly facts: readonly FactMap[];
}

export type FactMap = ReadonlyMap<string, Fact>;

/** Everything that the roles of a program may call, table by table: with a hundred roles it takes a while. */
export function* operationsOf(program: GeneratedProgram): Generator<readonly ServedOperation[]> {
  const tables = new Map(
    program.tables.map((access) => [tableId(access.table.source.name, keyOf(access.table)), access]),
  );
  const find = (source: string, key: string) => tables.get(tableId(source, key));
  const roles = rolesOf(program);
  const factsOf = createFacts(find);
  for (const table of program.tables) yield roles.flatMap((role) => tableOperations(table, role, factsOf));
  yield functionOperations(program, roles, find, factsOf);
}

type Find = (source: string, key: string) => TableAccess | undefined;

function tableId(source: string, key: string): string {
  return JSON.stringify([source, key]);
}

function rolesOf(program: GeneratedProgram): string[] {
  const roles = new Set<string>(program.withoutAdmin ? [] : [ADMIN_ROLE]);
  for (const access of program.tables)
    for (const operation of OPERATIONS)
      for (const role of Object.keys(access[operation] ?? {})) roles.add(role);
  for (const shape of program.functions) for (const role of shape.roles) roles.add(role);
  return [...roles].sort();
}

function ruleOfRole(access: TableAccess, operation: TableOperation, role: string): AnyRule | undefined {
  const { table } = access;
  if (operation !== 'select' && table.readOnly?.includes(operation)) return undefined;
  if (role === ADMIN_ROLE)
    return {
      columns: Object.keys(table.columns),
      computedFields: Object.keys(table.computedFields ?? {}),
      aggregations: true,
    };
  return ruleOf(access, operation, role);
}

function tableOperations(access: TableAccess, role: string, factsOf: FactsOf): ServedOperation[] {
  const { table } = access;
  const { query, mutation } = table.fields;
  const fields = [
    ...fieldEntries(query).map(([name, { field }]) => ['query', name, field] as const),
    ...fieldEntries(mutation).map(([name, { field }]) => ['mutation', name, field] as const),
  ];
  const rules = role === ADMIN_ROLE ? everything(table) : rulesOf(access, role);
  const known = new Map<TableOperation, FactMap>();
  const key = factsBy(keyFact(table));
  return fields.flatMap(([root, name, field]) => {
    const operation = operationOf(field);
    const rule = ruleOfRole(access, operation, role);
    if (!rule || offer(table, rules, { kind: field, root }, true) !== true) return [];
    const facts = known.get(operation) ?? factsOf(access, operation, rule, role);
    known.set(operation, facts);
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
        facts: field.endsWith('_by_pk') ? [facts, key] : [facts],
      },
    ];
  });
}

function factsBy(...facts: readonly (Fact | undefined)[]): FactMap {
  return new Map(facts.flatMap((fact) => (fact ? [[factKey(fact), fact] as const] : [])));
}

function keyFact(table: TableShape): Fact | undefined {
  const { primaryKey } = table;
  return (
    primaryKey && {
      kind: 'key',
      table: keyOf(table),
      ...primaryKey,
      isShared: isShared(table, primaryKey.name),
    }
  );
}

function isShared({ unprovenKeys = {} }: TableShape, key: string): boolean {
  return Object.hasOwn(unprovenKeys, key);
}

type FactsOf = (access: TableAccess, operation: TableOperation, rule: AnyRule, role: string) => FactMap;

/** Whether an aspect of a rule names something of the database. */
const NAMES_OBJECTS: Readonly<Record<Aspect, boolean>> = {
  columns: true,
  computedFields: true,
  where: true,
  check: true,
  presets: true,
  cells: true,
  checkMessage: false,
  canFail: false,
  implies: false,
  limit: false,
  aggregations: false,
  queryRoots: false,
  subscriptionRoots: false,
  backendOnly: false,
  validateInput: false,
};
const RELIED_ON = (Object.keys(NAMES_OBJECTS) as Aspect[]).filter((aspect) => NAMES_OBJECTS[aspect]);

/**
 * Objects that an operation of a role relies on, including relationships that it may follow, but not their targets. Roles
 * with equal rules share the result.
 */
function createFacts(find: Find): FactsOf {
  const known = new Map<string, FactMap>();
  const columns = new Map<TableShape, Map<string, readonly Fact[]>>();
  const ofColumn = (table: TableShape, name: string): readonly Fact[] => {
    const own = columns.get(table) ?? new Map<string, readonly Fact[]>();
    columns.set(table, own);
    const facts = own.get(name) ?? columnFacts(table, name, find);
    own.set(name, facts);
    return facts;
  };
  return (access, operation, rule, role) => {
    const { table } = access;
    const followed =
      operation === 'select'
        ? Object.values<RelationshipShape>(table.relationships ?? {}).filter(({ target }) => {
            const other = find(table.source.name, target);
            return other && ruleOfRole(other, 'select', role);
          })
        : [];
    const contents = [...RELIED_ON.map((aspect) => rule[aspect]), followed];
    const key = JSON.stringify([table.source.name, keyOf(table), operation, contents]);
    const facts = known.get(key) ?? collectFacts(table, operation, rule, followed, find, ofColumn);
    known.set(key, facts);
    return facts;
  };
}

/** Facts of the column, its type, and the values that its enum table allows. */
function columnFacts(table: TableShape, name: string, find: Find): Fact[] {
  const fact = columnFact(table, name);
  if (fact?.kind !== 'column') return [];
  const enumTable = table.columns[name]?.enumTable;
  const values = enumTable === undefined ? undefined : find(table.source.name, enumTable)?.table;
  return [
    fact,
    ...typeFacts(table.source, fact.type),
    ...(values?.enumValues
      ? [
          {
            kind: 'enum values' as const,
            table: keyOf(values),
            values: Object.keys(values.enumValues).sort(),
          },
        ]
      : []),
  ];
}

/** Logical models are not objects of the database. */
function isOfModel(table: string): boolean {
  return table.startsWith(objectKey(DECLARED_SCHEMA, ''));
}

function collectFacts(
  table: TableShape,
  operation: TableOperation,
  rule: AnyRule,
  followed: readonly RelationshipShape[],
  find: Find,
  ofColumn: (table: TableShape, name: string) => readonly Fact[],
): FactMap {
  const facts = new Map<string, Fact>();
  const add = (fact: Fact | undefined) => {
    if (fact && !('table' in fact && isOfModel(fact.table))) facts.set(factKey(fact), fact);
  };
  const addColumn = (of: TableShape | undefined, name: string) => {
    if (of) for (const fact of ofColumn(of, name)) add(fact);
  };
  const shapeOf = (key: string) => find(table.source.name, key)?.table;
  add(tableFact(table));
  if (table.schema !== DECLARED_SCHEMA) add(definitionsFact(table));
  for (const column of [...(rule.columns ?? []), ...Object.keys(rule.presets ?? {})])
    addColumn(table, column);
  for (const { text } of textPartsOf(rule))
    for (const [key, column] of columnsOfRule(text, keyOf(table))) addColumn(shapeOf(key), column);
  if (operation === 'insert') {
    add(requiredFact(table));
    add(keyFact(table));
    for (const [name, columns] of Object.entries(table.unique ?? {}))
      add({ kind: 'key', table: keyOf(table), name, columns, isShared: isShared(table, name) });
    // Nested rows may go in a table at a time only where no row looks at another.
    if (!table.sideEffects) add({ kind: 'insert', table: keyOf(table), sideEffects: false });
    add(foreignKeysFact(table));
  }
  if (operation !== 'select') return facts;
  for (const name of rule.computedFields ?? []) {
    const field: ComputedFieldShape | undefined = table.computedFields?.[name];
    if (!field) continue;
    add(functionFact(field.function, field));
    add(bodyFact(field.function, field.bodyHash));
  }
  for (const { target, columns, notNull, unique } of followed) {
    for (const [own, other] of Object.entries(columns)) {
      addColumn(table, own);
      addColumn(shapeOf(target), other);
    }
    if (notNull) add({ kind: 'foreign key', table: keyOf(table), target, columns });
    if (unique) add({ kind: 'uniqueness', table: target, columns: Object.values(columns) });
  }
  return facts;
}

/** Whose rows have to be there before a new row, as far as is known: by a foreign key or an object relationship. */
function foreignKeysFact({ schema, name, references = [], relationships = {} }: TableShape): Fact {
  const followed = Object.values(relationships).filter(
    ({ kind, insertAfter }) => kind === 'object' && !insertAfter,
  );
  const keys = followed.map(({ columns, target }) => ({ columns: Object.keys(columns), target }));
  return { kind: 'foreign keys', table: objectKey(schema, name), keys: [...references, ...keys] };
}

function functionOperations(
  program: GeneratedProgram,
  roles: readonly string[],
  find: Find,
  factsOf: FactsOf,
): ServedOperation[] {
  return program.functions.flatMap((shape) => {
    const { query, mutation } = shape.fields;
    const returned = find(shape.source.name, shape.returns.table);
    // A native query is not an object of the database: preparing it proves that its types are unchanged. Triggers of the tables that it writes
    // are part of what it does.
    const own =
      shape.sql === undefined
        ? factsBy(functionFact(shape, shape), bodyFact(shape, shape.bodyHash))
        : factsBy(
            ...Object.keys(shape.writes ?? {}).map((key) => {
              const written = find(shape.source.name, key);
              return written && definitionsFact(written.table);
            }),
          );
    const fields = [
      ...fieldEntries(query).map(([name, { field }]) => [`query ${name}`, field] as const),
      ...fieldEntries(mutation).map(([name, { field }]) => [`mutation ${name}`, field] as const),
    ];
    return roles.flatMap((role) => {
      const rule = returned && ruleOfRole(returned, 'select', role);
      // A query may be inferred from the rows it returns; whether it is, is an option of the server.
      if (!rule || (role !== ADMIN_ROLE && mutation && !shape.roles.includes(role))) return [];
      const facts = [own, factsOf(returned, 'select', rule, role)];
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
