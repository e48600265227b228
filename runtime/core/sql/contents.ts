/** What a fragment holds: statements, and tables that it writes. */
import { holdsQuery } from '../condition/reads.ts';
import type { Sql } from './fragment.ts';
import { meaningOf, type TableName, type Visitor, visit, visitParts } from './statement.ts';

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
  saved: found,
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

const WRITES: Visitor<TableName[]> = {
  table: nothing,
  alias: nothing,
  column: inWrite,
  call: inWrite,
  comparison: inWrite,
  nested: inWrite,
  and: inWrite,
  hole: inWrite,
  saved: inWrite,
  // A rule is a condition.
  rule: nothing,
  select: inWrite,
  insert: written,
  update: written,
  delete: written,
  with: inWrite,
};

function inWrite(_: unknown, tables: TableName[], fragment: Sql): void {
  visitParts(WRITES, fragment, tables);
}

function written({ table }: { readonly table: Sql }, tables: TableName[], fragment: Sql): void {
  const name = meaningOf(table);
  if (name?.kind !== 'table') throw new Error('a statement writes what is no table');
  tables.push(name);
  visitParts(WRITES, fragment, tables);
}

/** The tables that a statement writes; those of functions, triggers and cascades are not among them. */
export function tablesWritten(statement: Sql): readonly TableName[] {
  const tables: TableName[] = [];
  visit(WRITES, statement, tables);
  return tables;
}
