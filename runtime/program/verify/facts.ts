/**
 * Facts about a database on which a program relies, one for each catalog object that its SQL uses: as the program was
 * compiled with, and as a catalog has it. Facts are plain data, under keys a person can read.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { CatalogFunction, CatalogKey, CatalogTable, SourceCatalog } from '../../catalog/catalog.ts';
import { foreignKeyActions } from '../../catalog/foreign-key-actions.ts';
import { isAlwaysThere, isNeverNull, isUnique, keysOf } from '../../catalog/proven.ts';
import { typeKey } from '../../catalog/type-shapes.ts';
import type {
  ComputedFieldShape,
  FunctionShape,
  SourceShape,
  TableShape,
} from '../../core/contract/shapes.ts';
import { objectKey, type QualifiedName } from '../../core/names.ts';

/** Facts about one object. Tables, types and functions by `objectKey`, types of columns by type key. */
export type Fact =
  | {
      readonly kind: 'table';
      readonly table: string;
      /** Columns that Postgres refuses to write. */
      readonly readOnly: readonly string[];
    }
  | {
      readonly kind: 'column';
      readonly table: string;
      readonly column: string;
      readonly type: string;
      readonly notNull: boolean;
      readonly hasDefault: boolean;
      /** Never written: generated, identity always, or an expression of a view. */
      readonly readOnly: boolean;
    }
  /** Columns that every new row has to be given a value for. */
  | { readonly kind: 'required columns'; readonly table: string; readonly columns: readonly string[] }
  | {
      readonly kind: 'key';
      readonly table: string;
      readonly name: string;
      readonly columns: readonly string[];
      /** Two rows may share its values. */
      readonly isShared: boolean;
    }
  | {
      readonly kind: 'foreign key';
      readonly table: string;
      readonly target: string;
      /** Column → column of the target. */
      readonly columns: Readonly<Record<string, string>>;
    }
  /** At most one row has given values in these columns. */
  | { readonly kind: 'uniqueness'; readonly table: string; readonly columns: readonly string[] }
  /** Whether an INSERT may see or change other rows than its own. */
  | { readonly kind: 'insert'; readonly table: string; readonly sideEffects: boolean }
  /** To tables that the program knows: what it knows of, and what the database has besides. */
  | { readonly kind: 'foreign keys'; readonly table: string; readonly keys: readonly ForeignKey[] }
  | {
      readonly kind: 'function';
      readonly function: string;
      readonly arguments: readonly string[];
      readonly returns: string;
      readonly set: boolean;
    }
  /** Behaviour of the database itself: hashes of queries, functions and triggers, actions of foreign keys. */
  | {
      readonly kind: 'definitions';
      readonly of: 'table' | 'function';
      readonly object: string;
      readonly entries: Readonly<Record<string, string>>;
      /** Major version of the Postgres that printed a view's query; of another one, it says nothing. */
      readonly postgres?: number;
    }
  | { readonly kind: 'enum'; readonly type: string; readonly values: readonly string[] }
  | { readonly kind: 'domain'; readonly type: string; readonly base: string }
  | { readonly kind: 'enum values'; readonly table: string; readonly values: readonly string[] };

interface ForeignKey {
  readonly columns: readonly string[];
  readonly target: string;
}

/** Subject of the fact: `column public.article.title`. */
export function factKey(fact: Fact): string {
  switch (fact.kind) {
    case 'table':
      return `${fact.kind} ${fact.table}`;
    case 'enum values':
    case 'required columns':
    case 'foreign keys':
      return `${fact.kind} of ${fact.table}`;
    case 'column':
      return `column ${fact.table}.${fact.column}`;
    case 'key':
      return `key ${fact.name} of ${fact.table}`;
    case 'foreign key':
      return `foreign key of ${fact.table} (${listText(Object.keys(fact.columns))}) to ${fact.target}`;
    case 'uniqueness':
      return `uniqueness of ${fact.table} (${listText(fact.columns)})`;
    case 'insert':
      return `insert into ${fact.table}`;
    case 'function':
      return `function ${fact.function}`;
    case 'definitions':
      return `definitions of ${fact.of} ${fact.object}`;
    case 'enum':
    case 'domain':
      return `type ${fact.type}`;
  }
}

/** The fact in words: `text, not null`. */
export function factText(fact: Fact): string {
  switch (fact.kind) {
    case 'table':
      return fact.readOnly.length > 0 ? `without ${fact.readOnly.join(', ')}` : 'writable';
    case 'column':
      return [
        fact.type,
        ...(fact.notNull ? ['not null'] : []),
        ...(fact.hasDefault ? ['with a default'] : []),
        ...(fact.readOnly ? ['read only'] : []),
      ].join(', ');
    case 'key':
      return `(${listText(fact.columns)})${fact.isShared ? ', which two rows may share' : ''}`;
    case 'required columns':
      return `(${listText(fact.columns)})`;
    case 'foreign key':
    case 'uniqueness':
      return 'there';
    case 'insert':
      return fact.sideEffects ? 'with side effects' : 'without side effects';
    case 'foreign keys':
      return fact.keys.length > 0 ? fact.keys.map(foreignKeyText).sort().join(', ') : 'none';
    case 'function':
      return `(${fact.arguments.join(', ')}) returns ${fact.set ? 'setof ' : ''}${fact.returns}`;
    case 'enum':
    case 'enum values':
      return fact.values.length > 0 ? listText(fact.values) : 'none';
    case 'domain':
      return fact.base;
    case 'definitions': {
      const entries = Object.entries(fact.entries).sort(([left], [right]) => (left < right ? -1 : 1));
      return entries.map(([name, text]) => `${name} ${text}`).join(', ') || 'none';
    }
  }
}

/** Items in quotes where a list of others would read the same. */
function listText(items: readonly string[]): string {
  return items.map((item) => (/[,"]/.test(item) ? JSON.stringify(item) : item)).join(', ');
}

function foreignKeyText({ columns, target }: ForeignKey): string {
  return `(${listText(columns.toSorted())}) to ${target}`;
}

/** SHA-256 over facts, independent of their order. */
export function fingerprint(facts: Iterable<readonly [source: string, fact: Fact]>): string {
  const lines = [...facts].map(([source, fact]) => JSON.stringify([source, factKey(fact), factText(fact)]));
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex');
}

export function tableFact(table: TableShape): Fact {
  return { kind: 'table', table: objectKey(table.schema, table.name), readOnly: [...(table.readOnly ?? [])] };
}

/** Columns of a new row that nothing fills in: not null and without a default. */
export function requiredFact(table: TableShape): Fact {
  const columns = Object.entries(table.columns).flatMap(([name, column]) =>
    column.notNull && !column.hasDefault ? [name] : [],
  );
  return { kind: 'required columns', table: objectKey(table.schema, table.name), columns: columns.sort() };
}

/** Undefined for a column that the shape does not have. */
export function columnFact(table: TableShape, name: string): Fact | undefined {
  const column = table.columns[name];
  return (
    column && {
      kind: 'column',
      table: objectKey(table.schema, table.name),
      column: name,
      type: column.type,
      notNull: column.notNull ?? false,
      hasDefault: column.hasDefault ?? false,
      readOnly: column.generated ?? column.readOnly ?? false,
    }
  );
}

export function functionFact(
  { schema, name }: QualifiedName,
  shape: Pick<FunctionShape | ComputedFieldShape, 'arguments' | 'returns'>,
): Fact {
  const { returns } = shape;
  return {
    kind: 'function',
    function: objectKey(schema, name),
    arguments: shape.arguments.map(({ type }) => type),
    returns: 'type' in returns ? returns.type : returns.table,
    set: 'set' in returns && returns.set,
  };
}

const QUERY = 'query';

/** Behaviour of the database itself for a table's rows. */
function tableDefinitions(
  shape: Pick<TableShape, 'bodyHash' | 'calls' | 'triggers' | 'onDelete' | 'onUpdate'>,
): Readonly<Record<string, string>> {
  const { bodyHash, calls = {}, triggers = {}, onDelete = {}, onUpdate = {} } = shape;
  const named = (prefix: string, record: object) =>
    Object.entries(record).map(([name, text]): [string, string] => [
      `${prefix} ${name}`,
      typeof text === 'string' ? text : JSON.stringify(text),
    ]);
  return Object.fromEntries([
    ...(bodyHash === undefined ? [] : [[QUERY, bodyHash] as const]),
    ...named('function', calls),
    ...named('trigger', triggers),
    ...named('with deleted rows of', onDelete),
    ...named('with changed keys of', onUpdate),
  ]);
}

export function definitionsFact(table: TableShape): Fact {
  const { postgres } = table.source;
  return {
    kind: 'definitions',
    of: 'table',
    object: objectKey(table.schema, table.name),
    entries: tableDefinitions(table),
    ...(postgres !== undefined && { postgres }),
  };
}

/** Undefined for a function compiled without a hash. */
export function bodyFact({ schema, name }: QualifiedName, bodyHash: string | undefined): Fact | undefined {
  if (bodyHash === undefined) return undefined;
  return {
    kind: 'definitions',
    of: 'function',
    object: objectKey(schema, name),
    entries: { definition: bodyHash },
  };
}

/** Facts of a type that is not Postgres' own; an array's are its element's. */
export function* typeFacts(source: SourceShape, key: string): Generator<Fact> {
  const shape = source.types[key];
  if (!shape) {
    if (key.endsWith('[]')) yield* typeFacts(source, key.slice(0, -2));
  } else if (shape.kind === 'enum') {
    yield { kind: 'enum', type: key, values: shape.values };
  } else if (shape.kind === 'domain') {
    yield { kind: 'domain', type: key, base: shape.base };
    yield* typeFacts(source, shape.base);
  }
}

/**
 * Looks facts up in a catalog.
 * @param known keys of the tables that the program knows
 */
export function createObserver(
  catalog: SourceCatalog,
  known: ReadonlySet<string>,
): (expected: Fact) => Fact | undefined {
  const tables = new Map(catalog.tables.map((table) => [objectKey(table.schema, table.name), table]));
  const types = new Map(catalog.types.map((type) => [objectKey(type.schema, type.name), type]));
  const functions = groupFunctions(catalog.functions);
  return (expected) => {
    switch (expected.kind) {
      case 'function':
        return observeFunction(expected, functions.get(expected.function) ?? []);
      case 'enum':
      case 'domain': {
        const type = types.get(expected.type);
        if (type?.kind === 'enum') return { kind: 'enum', type: expected.type, values: type.values };
        if (type?.kind === 'domain') return { kind: 'domain', type: expected.type, base: typeKey(type.base) };
        return undefined;
      }
      case 'definitions': {
        if (expected.of === 'function') {
          const [first, ...overloads] = functions.get(expected.object) ?? [];
          if (!first || overloads.length > 0) return undefined;
          return { ...expected, entries: { definition: first.definition ?? '' } };
        }
        const table = tables.get(expected.object);
        if (!table) return undefined;
        const around = {
          isTracked: (key: string) => known.has(key),
          tableOf: (key: string) => tables.get(key),
        };
        const onDelete = foreignKeyActions(table, 'onDelete', around);
        const onUpdate = foreignKeyActions(table, 'onUpdate', around);
        const { definition, calls, triggers } = table;
        const isComparable = expected.postgres === Math.floor(catalog.serverVersion / 10_000);
        const query = isComparable ? definition : expected.entries[QUERY];
        const entries = tableDefinitions({
          ...(query !== undefined && { bodyHash: query }),
          ...(calls && { calls }),
          ...(triggers && { triggers }),
          ...(onDelete && { onDelete }),
          ...(onUpdate && { onUpdate }),
        });
        return { ...expected, entries };
      }
      default: {
        const table = tables.get(expected.table);
        return table && observeTable(expected, table, catalog, known);
      }
    }
  };
}

function groupFunctions(functions: readonly CatalogFunction[]): Map<string, CatalogFunction[]> {
  const groups = new Map<string, CatalogFunction[]>();
  for (const each of functions) {
    const key = objectKey(each.schema, each.name);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return groups;
}

function observeFunction(
  expected: Extract<Fact, { kind: 'function' }>,
  overloads: readonly CatalogFunction[],
): Fact | undefined {
  const facts = overloads.map(
    (each): Fact => ({
      kind: 'function',
      function: expected.function,
      arguments: each.arguments.map(({ type }) => typeKey(type)),
      returns: typeKey(each.returns),
      set: each.returnsSet ?? false,
    }),
  );
  return facts.find((fact) => isDeepStrictEqual(fact, expected)) ?? facts[0];
}

function observeTable(
  expected: Exclude<Fact, { kind: 'function' | 'enum' | 'domain' | 'definitions' }>,
  table: CatalogTable,
  catalog: SourceCatalog,
  known: ReadonlySet<string>,
): Fact | undefined {
  switch (expected.kind) {
    case 'table': {
      const writes = { insert: table.insertable, update: table.updatable, delete: table.deletable };
      const readOnly = Object.entries(writes).flatMap(([operation, allowed]) => (allowed ? [] : [operation]));
      return { ...expected, readOnly };
    }
    case 'column': {
      const column = table.columns.find(({ name }) => name === expected.column);
      return (
        column && {
          ...expected,
          type: typeKey(column.type),
          notNull: isNeverNull(table, column.name).holds,
          hasDefault: column.hasDefault ?? false,
          readOnly:
            column.generated !== undefined || column.identity === 'always' || column.updatable === false,
        }
      );
    }
    case 'required columns': {
      const columns = table.columns.filter(
        ({ name, hasDefault }) => !hasDefault && isNeverNull(table, name).holds,
      );
      return { ...expected, columns: columns.map(({ name }) => name).sort() };
    }
    case 'key': {
      const key = keysOf(table).find(({ name }) => name === expected.name);
      return key && { ...expected, columns: key.columns, isShared: !isUnique(table, key).holds };
    }
    case 'uniqueness': {
      const proves = (key: CatalogKey) =>
        key.columns.every((name) => expected.columns.includes(name)) && isUnique(table, key).holds;
      return keysOf(table).some(proves) ? expected : undefined;
    }
    case 'insert':
      return { ...expected, sideEffects: table.sideEffects ?? false };
    case 'foreign keys': {
      const texts = new Set(expected.keys.map(foreignKeyText));
      const more = table.foreignKeys
        .map(({ columns, references }) => ({
          columns,
          target: objectKey(references.schema, references.name),
        }))
        .filter((key) => known.has(key.target) && !texts.has(foreignKeyText(key)));
      return { ...expected, keys: [...expected.keys, ...more] };
    }
    case 'foreign key': {
      const [schemaColumns, targetColumns] = [Object.keys(expected.columns), Object.values(expected.columns)];
      const found = table.foreignKeys.find(
        ({ columns, references }) =>
          objectKey(references.schema, references.name) === expected.target &&
          columns.length === schemaColumns.length &&
          columns.every((column, index) => {
            const at = schemaColumns.indexOf(column);
            return at >= 0 && targetColumns[at] === references.columns[index];
          }),
      );
      return found && isAlwaysThere(table, found).holds ? expected : undefined;
    }
    case 'enum values': {
      const rows = catalog.enumTables[`${table.schema}.${table.name}`];
      return rows && { ...expected, values: rows.map(({ value }) => value).sort() };
    }
  }
}
