/** Facts about tables that hold in two versions of generated code, before a change and after it. */
import { isDeepStrictEqual } from 'node:util';
import {
  type ColumnFacts,
  createKnowledge,
  type Knowledge,
  nameOf,
  quoted,
} from '../../../runtime/core/condition/knowledge.ts';
import type { Table } from '../../../runtime/core/program/program.ts';
import { remember } from '../../../runtime/core/remember.ts';
import type { GeneratedCode } from '../generated-code/index.ts';

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

function knowledgeBySource({ program }: GeneratedCode) {
  const sources = new Map<string, ReturnType<typeof createKnowledge>>();
  const tablesOf = (source: string) => program.tables.filter((table) => table.source.name === source);
  return ({ source, table: key }: Parameters<KnowledgeOf>[0], rowIsNew: boolean): Knowledge | undefined => {
    const row = tablesOf(source).find((table) => table.key === key);
    const know = remember(sources, source, () => createKnowledge(tablesOf(source).map(({ shape }) => shape)));
    if (!row) return undefined;
    const knowledge = know(row.shape, rowIsNew);
    return knowledge.rowIsStored ? { ...knowledge, references: referencesOf(row) } : knowledge;
  };
}

/** A view may show a row without the one that it refers to. */
function referencesOf({ shape, relationships }: Table): NonNullable<Knowledge['references']> {
  if (shape.kind !== 'table' && shape.kind !== 'partitioned') return [];
  return [...relationships.values()]
    .filter((relationship) => relationship.shape.notNull)
    .map(({ target, columns }) => ({
      table: nameOf(target.shape),
      columns: columns.map(([own, other]) => [quoted(own.name), quoted(other.name)] as const),
    }));
}

const NOTHING: Knowledge = { table: () => undefined };

function sharedKnowledge(base: Knowledge, head: Knowledge): Knowledge {
  return {
    ...(head.row !== undefined && { row: head.row }),
    rowIsStored: base.rowIsStored === true && head.rowIsStored === true,
    references: (base.references ?? []).filter((one) =>
      head.references?.some((other) => isDeepStrictEqual(one, other)),
    ),
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
