/** What a fragment holds: nodes of a kind, statements, and tables that it writes. */
import { holdsQuery } from '../condition/reads.ts';
import { eachPart, type Sql } from './fragment.ts';
import { type Meaning, meaningOf, type NodeKind, type TableName } from './statement.ts';

/** Whether something is true of a node in a fragment, at any depth. */
function some(fragment: Sql, test: (meaning: Meaning) => boolean): boolean {
  const meaning = meaningOf(fragment);
  let found = meaning !== undefined && test(meaning);
  eachPart(fragment, (part) => {
    found ||= typeof part !== 'string' && 'nodes' in part && some(part, test);
  });
  return found;
}

/** Whether a node of a kind is in a fragment. */
export function holds(fragment: Sql, kind: NodeKind): boolean {
  return some(fragment, (meaning) => meaning.kind === kind);
}

/** Whether a condition or value asks a statement of its own. */
export function holdsStatement(fragment: Sql): boolean {
  return some(fragment, (meaning) =>
    meaning.kind === 'rule' ? holdsQuery(meaning.rule.condition) : IS_STATEMENT[meaning.kind],
  );
}

const IS_STATEMENT: Readonly<Record<NodeKind, boolean>> = {
  table: false,
  alias: false,
  column: false,
  call: false,
  comparison: false,
  nested: false,
  and: false,
  or: false,
  guarded: false,
  constant: false,
  list: false,
  rows: false,
  hole: false,
  rule: false,
  saved: true,
  select: true,
  insert: true,
  update: true,
  delete: true,
  with: true,
  returning: true,
};

/** The tables that a statement writes; those of functions, triggers and cascades are not among them. */
export function tablesWritten(statement: Sql): readonly TableName[] {
  const tables: TableName[] = [];
  some(statement, (meaning) => {
    if (meaning.kind !== 'insert' && meaning.kind !== 'update' && meaning.kind !== 'delete') return false;
    const name = meaningOf(meaning.table);
    if (name?.kind !== 'table') throw new Error('a statement writes what is no table');
    tables.push(name);
    return false;
  });
  return tables;
}
