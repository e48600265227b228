/**
 * How rows that a mutation wrote, and kept in a setting, are read with their relationships. An update or delete of one shard keeps them on
 * its worker, so they are read there: by a statement that is fixed to the same value.
 * @rule Where are written rows read with their relationships, on a Citus cluster?
 */
import type { SourceShape } from '../contract/shapes.ts';
import type { WriteStatement } from '../mutation/step.ts';
import { objectKey } from '../names.ts';
import { holds } from '../sql/contents.ts';
import { eachPart, type Sql } from '../sql/fragment.ts';
import type { Statement } from '../sql/print.ts';
import { meaningOf, type TableName } from '../sql/statement.ts';
import { type TransactionFacts, valueKey } from './facts.ts';
import { judge } from './index.ts';
import { KEPT_ELSEWHERE } from './verdict.ts';

/** A statement of a step, and where it stands. */
export interface Placed {
  readonly write: WriteStatement;
  readonly known: TransactionFacts;
  /** It begins to keep rows; those of a read before it are not to be found any more. */
  readonly begins: boolean;
  /** It reads kept rows. */
  readonly reads: boolean;
}

/** Where the statements of a step of a mutation keep rows, and read them. @returns a text: why no node has both */
export function placed(statements: readonly WriteStatement[], source: SourceShape): Placed[] | string {
  const found: Placed[] = [];
  let writes: WriteStatement[] = [];
  for (const write of statements) {
    const { tree } = write.statement;
    if (!tree || !holds(tree, 'rows')) {
      writes.push(write);
      continue;
    }
    const known = knownOf(writes, write.statement, tableOfRows(tree)!, source);
    if (typeof known === 'string') return known;
    const { preferred } = known;
    for (const [index, before] of writes.entries())
      found.push({
        write: before,
        known: { ...(preferred && { preferred }) },
        begins: index === 0,
        reads: false,
      });
    found.push({ write, known, begins: writes.length === 0, reads: true });
    writes = [];
  }
  return [...found, ...writes.map((write) => ({ write, known: {}, begins: false, reads: false }))];
}

function knownOf(
  statements: readonly WriteStatement[],
  read: Statement,
  table: string,
  source: SourceShape,
): TransactionFacts | string {
  const writes = statements.flatMap(({ statement }) => {
    const target = targetOf(statement);
    return target?.table === table ? [{ ...target, ...judge(statement, source) }] : [];
  });
  const isOnWorker = writes.some(
    ({ kind, verdict }) => kind !== 'insert' && verdict.kind !== 'all shards' && verdict.kind !== 'refused',
  );
  const [first = new Map<string, Sql>(), ...others] = writes.map(
    ({ values }) => new Map(values.map((value) => [valueKey(value), value])),
  );
  const common = [...first].filter(([key]) => others.every((values) => values.has(key)));
  const readable = (known: TransactionFacts): TransactionFacts | undefined => {
    const { verdict, values } = judge(read, source, known);
    if (verdict.kind === 'refused') return undefined;
    const keys = new Set(values.map(valueKey));
    const preferred = new Set(common.flatMap(([key]) => (keys.has(key) ? [key] : [])));
    return isOnWorker && preferred.size === 0 ? undefined : { ...known, preferred };
  };
  const found = readable({});
  if (found) return found;
  for (const [, value] of common) {
    const fixed = readable({ kept: { table, value } });
    if (fixed) return fixed;
  }
  const { verdict } = judge(read, source);
  return verdict.kind === 'refused' ? verdict.why : KEPT_ELSEWHERE;
}

function tableOfRows(fragment: Sql): string | undefined {
  const meaning = meaningOf(fragment);
  if (meaning?.kind === 'rows') return objectKey(meaning.schema, meaning.name);
  let found: string | undefined;
  eachPart(fragment, (part) => {
    if (typeof part !== 'string' && 'nodes' in part) found ??= tableOfRows(part);
  });
  return found;
}

/** What a write that keeps its rows writes. */
function targetOf({ tree }: Statement): { kind: 'insert' | 'update' | 'delete'; table: string } | undefined {
  const meaning = tree && meaningOf(tree);
  const item = meaning?.kind === 'with' ? meaningOf(meaning.item) : undefined;
  if (item?.kind !== 'insert' && item?.kind !== 'update' && item?.kind !== 'delete') return undefined;
  const { schema, name } = meaningOf(item.table) as TableName;
  return { kind: item.kind, table: objectKey(schema, name) };
}
