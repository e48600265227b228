/** Facts about tables that hold in two versions of generated code, before a change and after it. */
import { factsOfKind } from '../../../runtime/catalog/object-facts.ts';
import {
  type ColumnFacts,
  createKnowledge,
  type Knowledge,
  quoted,
  type Reference,
  tableToken,
} from '../../../runtime/core/condition/knowledge.ts';
import { objectKey } from '../../../runtime/core/names.ts';
import type { Table } from '../../../runtime/core/program/program.ts';
import { remember } from '../../../runtime/core/remember.ts';
import type { PlannedDatabase } from '../../model/plan.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import { readForeignKey } from './foreign-key.ts';

/** Facts for the comparison of a table's rules; `rowIsNew` for checks of written rows. */
export type KnowledgeOf = (
  table: { readonly source: string; readonly table: string },
  rowIsNew: boolean,
) => Knowledge;

/** The facts of two versions, by the table that a rule belongs to. */
export function knowledgeOfBoth(base: GeneratedCode, head: GeneratedCode): KnowledgeOf {
  const [before, after] = [knowledgeBySource(base), knowledgeBySource(head)];
  return (table, rowIsNew) => {
    const [one, other] = [before(table, rowIsNew), after(table, rowIsNew)];
    return one && other ? sharedKnowledge(one, other) : NOTHING;
  };
}

function knowledgeBySource({ program, databases }: GeneratedCode) {
  const sources = new Map<string, ReturnType<typeof createKnowledge>>();
  const references = new Map<string, readonly Reference[]>();
  const tablesOf = (source: string) => program.tables.filter((table) => table.source.name === source);
  return ({ source, table: key }: Parameters<KnowledgeOf>[0], rowIsNew: boolean): Knowledge | undefined => {
    const row = tablesOf(source).find((table) => table.key === key);
    const know = remember(sources, source, () => createKnowledge(tablesOf(source).map(({ shape }) => shape)));
    const database = databases.get(source);
    return (
      row && {
        ...know(row.shape, rowIsNew),
        references: database
          ? remember(references, source, () => foreignKeysOf(tablesOf(source), database))
          : promisedRows(tablesOf(source)),
      }
    );
  };
}

/** Foreign keys that hold for every row that a query finds, and whose target no policy hides. */
function foreignKeysOf(tables: readonly Table[], { objects }: PlannedDatabase): Reference[] {
  return tables.flatMap(({ key, shape }) => {
    const object = objects[key];
    // Rows of tables that inherit from this one have foreign keys of their own.
    if (!object || factsOfKind(object, 'child').some(([, value]) => value === 'inherits')) return [];
    return factsOfKind(object, 'foreign key').flatMap(([, definition]): Reference[] => {
      const read = readForeignKey(definition);
      // A row may be without the other one by NOT VALID, NOT ENFORCED, DEFERRABLE, a disabled trigger or MATCH FULL.
      if (read?.options !== '') return [];
      const target = objects[objectKey(read.target.schema, read.target.name)];
      const security = target?.facts['row security'];
      if (!target || (security !== undefined && !security.endsWith(', bypassed'))) return [];
      return [
        {
          from: tableToken(shape),
          to: tableToken(read.target),
          columns: read.columns.map(
            (column, index) => [quoted(column), quoted(read.targetColumns[index]!)] as const,
          ),
        },
      ];
    });
  });
}

/** Where the code does not say what the database does: relationships whose row is always there. A view may lack it. */
function promisedRows(tables: readonly Table[]): Reference[] {
  return tables
    .filter(({ shape: { kind } }) => kind === 'table' || kind === 'partitioned')
    .flatMap(({ shape, relationships }) =>
      [...relationships.values()]
        .filter((relationship) => relationship.shape.notNull)
        .map(({ target, columns }) => ({
          from: tableToken(shape),
          to: tableToken(target.shape),
          columns: columns.map(([own, other]) => [quoted(own.name), quoted(other.name)] as const),
        })),
    );
}

const NOTHING: Knowledge = { table: () => undefined };

function sharedKnowledge(base: Knowledge, head: Knowledge): Knowledge {
  return {
    ...(head.row !== undefined && { row: head.row }),
    rowIsStored: base.rowIsStored === true && head.rowIsStored === true,
    references: sharedReferences(base.references ?? [], head.references ?? []),
    table: (name) => {
      const [one, other] = [base.table(name), head.table(name)];
      // A table that one version does not have is not in the rules of that version.
      if (!one || !other) return one ?? other;
      const keys = new Set(other.keys.map((key) => key.join()));
      return {
        column: (column) => sharedFacts(one.column(column), other.column(column)),
        keys: one.keys.filter((key) => keys.has(key.join())),
      };
    },
  };
}

function sharedReferences(base: readonly Reference[], head: readonly Reference[]): readonly Reference[] {
  const other = new Set(head.map(idOf));
  return base.filter((one) => other.has(idOf(one)));
}

function idOf({ from, to, columns }: Reference): string {
  return JSON.stringify([from, to, columns]);
}

function sharedFacts(one: ColumnFacts | undefined, other: ColumnFacts | undefined): ColumnFacts | undefined {
  if (!one || !other) return one ?? other;
  if (one.type !== other.type) return undefined;
  const { values, ...facts } = one;
  const isSame = values?.join() === other.values?.join();
  return {
    ...facts,
    notNull: one.notNull && other.notNull,
    scalar: one.scalar && other.scalar,
    ...(values && isSame && { values }),
  };
}
