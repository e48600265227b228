/** What a fragment holds: statements, and tables that it writes. */
import { holdsQuery } from '../condition/reads.ts';
import { quoteIdentifier, type Sql } from './fragment.ts';
import { meaningOf, type Visitor, visit, visitParts } from './statement.ts';

interface Search {
  found: boolean;
}

const STATEMENT: Visitor<Search> = {
  table: nothing,
  alias: nothing,
  column: inStatement,
  call: inStatement,
  comparison: inStatement,
  nested: inStatement,
  and: inStatement,
  hole: inStatement,
  rule: ({ rule }, search) => {
    search.found ||= holdsQuery(rule.condition);
  },
  select: found,
  insert: found,
  update: found,
  delete: found,
  with: found,
};

function nothing(): void {}

function inStatement(_: unknown, search: Search, fragment: Sql): void {
  visitParts(STATEMENT, fragment, search);
}

function found(_: unknown, search: Search): void {
  search.found = true;
}

/** Whether a condition or value asks a statement of its own. */
export function holdsStatement(fragment: Sql): boolean {
  const search = { found: false };
  visit(STATEMENT, fragment, search);
  return search.found;
}

const WRITES: Visitor<Set<string>> = {
  table: nothing,
  alias: nothing,
  column: inWrite,
  call: inWrite,
  comparison: inWrite,
  nested: inWrite,
  and: inWrite,
  hole: inWrite,
  // A rule is a condition.
  rule: nothing,
  select: inWrite,
  insert: written,
  update: written,
  delete: written,
  with: inWrite,
};

function inWrite(_: unknown, tables: Set<string>, fragment: Sql): void {
  visitParts(WRITES, fragment, tables);
}

function written({ table }: { readonly table: Sql }, tables: Set<string>, fragment: Sql): void {
  const name = meaningOf(table);
  if (name?.kind !== 'table') throw new Error('a statement writes what is no table');
  tables.add(quoteIdentifier(name.schema, name.name));
  visitParts(WRITES, fragment, tables);
}

/** The tables that a statement writes, as `"schema"."name"`; those of functions, triggers and cascades are not among them. */
export function tablesWritten(statement: Sql): readonly string[] {
  const tables = new Set<string>();
  visit(WRITES, statement, tables);
  return [...tables];
}
