/**
 * Checks of declared tables and rules when a generated file is loaded. The compiler writes no name that does not exist;
 * a person who edits a file may, and must not find a rule with a misspelt column skipped.
 * @rule What is checked in a generated file that was edited by hand?
 */

import { columnsOfRule, textOfString, undeclaredAlias } from '../condition/reads.ts';
import { readRule } from '../condition/rule.ts';
import { readTokens, unquoted } from '../condition/tokens.ts';
import { objectKey } from '../names.ts';
import { fieldEntries, isNamedKind, ROOT_FIELD_KINDS } from '../program/root-fields.ts';
import { isSqlType } from '../types.ts';
import {
  type AnyRule,
  ASPECTS,
  type ByAspect,
  eachAspect,
  type TableOperation,
  textPartsOf,
} from './aspects.ts';
import type {
  AccessRules,
  DeclaredTable,
  FunctionShape,
  RuleText,
  SourceShape,
  TableAccess,
  TableShape,
} from './shapes.ts';

/**
 * References are not checked: an artefact for some roles names foreign keys whose columns it leaves out.
 * @throws Error if a column is of a type that the source does not have, a key or a relationship uses a column that the table
 *   does not have, or a root field is of no kind
 */
export function checkTable(table: DeclaredTable): void {
  const { source, columns, primaryKey, unique = {}, relationships = {}, computedFields = {} } = table;
  checkVersion(table, table.name);
  for (const [name, field] of Object.entries(computedFields)) checkVersion(field, `computedFields.${name}`);
  for (const name in columns) checkTypeKey(source, columns[name]!.type, `columns.${name}`);
  const check = (names: readonly string[], place: string) => {
    for (const name of names) if (!Object.hasOwn(columns, name)) throw unknown(place, 'column', name);
  };
  check(primaryKey?.columns ?? [], 'primaryKey');
  for (const name in unique) check(unique[name]!, `unique.${name}`);
  for (const name in relationships) {
    const { columns: pairs, given = {}, nested } = relationships[name]!;
    const used = [...Object.keys(pairs), ...Object.values(given), ...(nested === undefined ? [] : [nested])];
    check(used, `relationships.${name}`);
  }
  for (const section of ['query', 'subscription', 'mutation'] as const)
    for (const [name, { field }] of fieldEntries<FieldEntry>(table.fields[section]))
      if (!(ROOT_FIELD_KINDS[section] as readonly string[]).includes(field))
        throw unknown(`${section}.${name}`, 'kind of root field', field);
}

/** @throws Error if an argument is of a type that the source does not have */
export function checkFunction(source: SourceShape, shape: Pick<FunctionShape, 'arguments' | 'name'>): void {
  checkVersion(shape, shape.name);
  for (const [index, { type }] of shape.arguments.entries())
    checkTypeKey(source, type, `${shape.name}: arguments[${index}]`);
}

/** Hashes under another name would be compared by nobody. */
function checkVersion(shape: object, place: string): void {
  if ('definition' in shape)
    throw new Error(
      `${place} is from another version of Engine: its hash is called \`definition\`, not \`bodyHash\`. Compile again with this one`,
    );
}

/** A key without a schema is a type of pg_catalog, which is not declared. */
function checkTypeKey({ types }: SourceShape, key: string, place: string): void {
  if (!key.includes('.') || Object.hasOwn(types, key) || Object.hasOwn(types, key.replace(/(?:\[\])+$/, '')))
    return;
  throw unknown(place, 'type', key);
}

type FieldEntry = string | { readonly field: string };

const NAMED_QUERIES = ROOT_FIELD_KINDS.query.filter(isNamedKind);
const ROOTS: Readonly<Record<'queryRoots' | 'subscriptionRoots', Readonly<Record<string, true>>>> = {
  queryRoots: keyed(NAMED_QUERIES),
  subscriptionRoots: keyed([...NAMED_QUERIES, ...ROOT_FIELD_KINDS.subscription]),
};

function keyed(names: readonly string[]): Readonly<Record<string, true>> {
  return Object.fromEntries(names.map((name) => [name, true]));
}

/** @throws Error if a rule names a column, computed field, relationship, part or type that does not exist */
export function checkAccess(table: TableShape, rules: AccessRules): void {
  const { columns, computedFields = {}, relationships = {} } = table;
  const checkText = createTextCheck(table);
  type Check<Value> = (value: Value, place: string) => void;
  const named =
    (part: string, kind: string, ...records: readonly object[]): Check<readonly string[]> =>
    (names, place) => {
      for (const name of names)
        if (!records.some((record) => Object.hasOwn(record, name)))
          throw unknown(`${place}.${part}`, kind, name);
    };
  const texts =
    (part: string, checkNames: Check<readonly string[]>): Check<Readonly<Record<string, RuleText>>> =>
    (rules, place) => {
      checkNames(Object.keys(rules), place);
      for (const [name, text] of Object.entries(rules)) checkText(text, `${place}.${part}.${name}`);
    };
  const relationship = named('implies', 'relationship', relationships);
  const checks: ByAspect<void, [place: string]> = {
    queryRoots: named('queryRoots', 'kind of root field', ROOTS.queryRoots),
    subscriptionRoots: named('subscriptionRoots', 'kind of root field', ROOTS.subscriptionRoots),
    columns: named('columns', 'column', columns),
    computedFields: named('computedFields', 'computed field', computedFields),
    implies: (hashes, place) => relationship(Object.keys(hashes), place),
    where: (text, place) => checkText(text, `${place}.where`),
    check: (text, place) => checkText(text, `${place}.check`),
    presets: texts('presets', named('presets', 'column', columns)),
    cells: texts('cells', named('cells', 'column', columns, computedFields)),
    checkMessage: () => {},
    canFail: () => {},
    limit: () => {},
    aggregations: () => {},
    backendOnly: () => {},
    validateInput: () => {},
  };
  for (const [operation, roles] of Object.entries(rules)) {
    if (!Object.hasOwn(ASPECTS, operation)) throw unknown('access', 'operation', operation);
    const parts = ASPECTS[operation as TableOperation];
    for (const [role, rule] of Object.entries<AnyRule>(roles)) {
      const place = `${operation}.${role}`;
      for (const part in rule) if (!Object.hasOwn(parts, part)) throw unknown(place, 'part of a rule', part);
      eachAspect(rule, checks, place);
    }
  }
}

/**
 * Checks what only all files together can tell: that relationships lead to columns of tables that are served, that functions
 * return rows of such tables, and that rules
 * name columns that those have, and values that those can hold. Rules may read tables that are not served, about which
 * nothing is known.
 * @throws Error naming table and place
 */
export function checkReferences(
  all: readonly TableAccess[],
  changed: readonly TableAccess[],
  functions: readonly FunctionShape[],
): void {
  const tables = new Map(
    all.map(({ table }) => [keyOf(table.source, objectKey(table.schema, table.name)), table]),
  );
  for (const { source, schema, name, returns } of functions)
    if (!tables.has(keyOf(source, returns.table)))
      throw unknown(`${objectKey(schema, name)}: returns`, 'table', returns.table);
  const checkValues = (column: string, of: TableShape, given: readonly string[], place: string) => {
    const values = given.length > 0 ? enumValues(tables, of, column) : undefined;
    for (const value of given)
      if (values && !values.includes(value)) throw unknown(place, `value of ${column}`, value);
  };
  for (const { table, ...rules } of changed) {
    const { source } = table;
    for (const [name, { enumTable }] of Object.entries(table.columns))
      if (enumTable !== undefined && !tables.has(keyOf(source, enumTable)))
        throw unknown(`${objectKey(table.schema, table.name)}: columns.${name}`, 'table', enumTable);
    const key = objectKey(table.schema, table.name);
    for (const [name, { target, columns }] of Object.entries(table.relationships ?? {})) {
      const place = `${key}: relationships.${name}`;
      const other = tables.get(keyOf(source, target));
      if (!other) throw unknown(place, 'table', target);
      for (const column of Object.values(columns))
        if (!Object.hasOwn(other.columns, column)) throw unknown(place, `column of ${target}`, column);
    }
    const known = new Set<RuleText>();
    for (const [operation, roles] of Object.entries(rules as AccessRules)) {
      for (const [role, rule] of Object.entries<AnyRule>(roles)) {
        for (const { text } of textPartsOf(rule)) {
          if (known.has(text)) continue;
          known.add(text);
          for (const [of, column, values] of columnsOfRule(text, key)) {
            const other = tables.get(keyOf(source, of));
            if (!other) continue;
            const place = `${key}: ${operation}.${role}`;
            if (!Object.hasOwn(other.columns, column)) throw unknown(place, `column of ${of}`, column);
            checkValues(column, other, values, place);
          }
        }
        for (const [column, text] of Object.entries(rule.presets ?? {})) {
          const [token] = readTokens(text) ?? [];
          const value = textOfString(token);
          if (value !== undefined)
            checkValues(column, table, [value], `${key}: ${operation}.${role}.presets`);
        }
      }
    }
  }
}

function enumValues(
  tables: ReadonlyMap<string, TableShape>,
  { source, columns }: TableShape,
  name: string,
): readonly string[] | undefined {
  const { enumTable, type } = columns[name]!;
  if (enumTable !== undefined) {
    const values = tables.get(keyOf(source, enumTable))?.enumValues;
    return values && Object.keys(values);
  }
  const declared = source.types[type];
  return declared?.kind === 'enum' ? declared.values : undefined;
}

function keyOf(source: SourceShape, table: string): string {
  return `${source.name}\0${table}`;
}

/** The column behind `{row}`, with its dot. */
const COLUMN = /^\.("(?:[^"]|"")+")/;

/** Checks the holes of rule texts; a text that many roles share is read once. */
function createTextCheck({ source, columns }: TableShape): (text: RuleText, place: string) => void {
  const known = new Set<RuleText>();
  return (text, place) => {
    if (known.has(text)) return;
    known.add(text);
    const { nodes } = readRule(text).sql;
    for (const [index, node] of nodes.entries()) {
      if (node.kind === 'parameter') checkType(source, node.type, place);
      if (node.kind !== 'text' || nodes[index - 1]?.kind !== 'row') continue;
      const column = COLUMN.exec(node.text)?.[1];
      if (column !== undefined && !Object.hasOwn(columns, unquoted(column)))
        throw unknown(place, 'column', unquoted(column));
    }
    const alias = undeclaredAlias(text);
    if (alias !== undefined) throw unknown(place, 'alias', alias);
  };
}

function checkType(source: SourceShape, type: string, place: string): void {
  if (!isSqlType(source, type)) throw new Error(`${place}: ${JSON.stringify(type)} is not a type`);
}

function unknown(place: string, kind: string, name: string): Error {
  return new Error(`${place}: there is no ${kind} ${JSON.stringify(name)}`);
}
