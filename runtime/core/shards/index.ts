/**
 * All that this project knows of Citus when it makes SQL. Builders ask `isDistributed` for the forms that Citus can take;
 * what is printed goes through `forShards`, which decides, refuses and completes.
 */

import type { SourceShape, TableShape } from '../contract/shapes.ts';
import { EngineError } from '../errors.ts';
import { objectKey } from '../names.ts';
import type { Statement } from '../sql/print.ts';
import { factsOf } from './facts.ts';
import { readQuery } from './query.ts';
import { withConstants, withFence } from './rewrite.ts';
import type { Verdict } from './shapes.ts';
import { readTree } from './tree.ts';
import { commonValues, verdictOf } from './verdict.ts';

/** Whether tables of the source are spread over the nodes of a cluster. */
export function isDistributed({ distribution }: SourceShape): boolean {
  return distribution !== undefined;
}

/** The column whose value decides in which shard a row of a table is; undefined where none does. */
export function distributionColumn({ source, schema, name }: TableShape): string | undefined {
  const { tables = {} } = source.distribution ?? {};
  const key = objectKey(schema, name);
  const distribution = Object.hasOwn(tables, key) ? tables[key] : undefined;
  return distribution?.kind === 'distributed' ? distribution.by : undefined;
}

export interface Judged {
  readonly verdict: Verdict;
  /** The text in the form that Citus answers rightly. */
  readonly text: string;
  /** The values that all distributed tables are fixed to, as the text writes them: of the verdict `router`. */
  readonly values: readonly string[];
}

/** Judges the text of a statement on a source with distributed tables. */
export function judge(text: string, source: SourceShape): Judged {
  const { distribution } = source;
  if (!distribution) throw new Error(`the source ${source.name} has no distributed tables`);
  const query = readQuery(readTree(text), undefined, text.length);
  const facts = factsOf(query, text, distribution);
  const verdict = verdictOf(query, facts, distribution);
  if (verdict.kind === 'refused' || verdict.kind === 'reference') return { verdict, text, values: [] };
  const values = verdict.kind === 'router' ? commonValues(query, facts) : [];
  const fenced = verdict.kind === 'all shards' ? withFence(query, text) : text;
  const again = readQuery(readTree(fenced), undefined, fenced.length);
  return { verdict, values, text: withConstants(again, fenced, factsOf(again, fenced, distribution)) };
}

/** Whether a query fixes the distribution column of its first table to one value, whatever it looks at besides. */
export function fixesRows(text: string, { distribution }: SourceShape): boolean {
  const query = readQuery(readTree(text), undefined, text.length);
  return distribution !== undefined && factsOf(query, text, distribution).fixed(query.items[0]!).length > 0;
}

/**
 * The statement as it is sent to a source: as it is for plain PostgreSQL.
 * @throws EngineError not-supported for what Citus cannot answer, or would answer wrongly
 */
export function forShards(statement: Statement, source: SourceShape): Statement {
  if (!isDistributed(source)) return statement;
  const { verdict, text } = judge(statement.text, source);
  if (verdict.kind === 'refused')
    throw new EngineError(
      'not-supported',
      `the distributed tables of source "${source.name}" cannot serve this: ${verdict.why}`,
    );
  return { ...statement, text };
}
