/**
 * All that this project knows of Citus when it makes SQL. Builders ask `isDistributed` for the forms that Citus can take;
 * what is printed goes through `forShards`, which decides, refuses and completes.
 */

import type { SourceShape, TableShape } from '../contract/shapes.ts';
import { EngineError } from '../errors.ts';
import { objectKey } from '../names.ts';
import type { RoleSchema } from '../schema/role-schema.ts';
import type { ParameterNode, Sql } from '../sql/fragment.ts';
import { partPrinter, print, printInto, type Statement } from '../sql/print.ts';
import { withoutContradictions } from './contradictions.ts';
import type { StatementReading } from './equalities.ts';
import { factsOf, type TransactionFacts } from './facts.ts';
import { readQuery } from './query.ts';
import { anchorOf, editsOf, withEdits } from './rewrite.ts';
import type { ShardVerdict, TableDistribution } from './shapes.ts';
import { pruningValues, verdictOf } from './verdict.ts';

/** Whether the source is on a cluster: tables are spread over its nodes, or functions see tables of the coordinator empty. */
export function isDistributed({ distribution }: SourceShape): boolean {
  if (!distribution) return false;
  for (const _ in distribution.tables) return true;
  return distribution.functions !== undefined;
}

/** Whether the rows of a table are in shards, or may be. Copies on each node, and tables of the coordinator, are plain tables. */
export function hasShards({ source, schema, name }: Pick<TableShape, 'source' | 'schema' | 'name'>): boolean {
  const kind = distributionOf(source, objectKey(schema, name))?.kind;
  return kind !== undefined && kind !== 'reference';
}

function distributionOf({ distribution }: SourceShape, key: string): TableDistribution | undefined {
  const { tables = {} } = distribution ?? {};
  return Object.hasOwn(tables, key) ? tables[key] : undefined;
}

/** The column whose value decides in which shard a row of a table is; undefined where none does. */
export function distributionColumn({ source, schema, name }: TableShape): string | undefined {
  const distribution = distributionOf(source, objectKey(schema, name));
  return distribution?.kind === 'distributed' ? distribution.by : undefined;
}

/** Whether the statements of a program are changed after they are planned, or saved. */
export function needsTrees({ program, options }: Pick<RoleSchema, 'program' | 'options'>): boolean {
  return options.ruleHoles === true || program.sources.some(isDistributed);
}

export interface Judged {
  readonly verdict: ShardVerdict;
  /** The form that Citus answers rightly: as a tree, and as it is sent. */
  readonly tree: Sql;
  readonly statement: Pick<Statement, 'text' | 'parameters'>;
  /** The values that all distributed tables are fixed to: of the verdict `router`. */
  readonly values: readonly Sql[];
}

/** Judges a statement on a source of a cluster. */
export function judge(
  { tree, text, parameters }: Statement,
  source: SourceShape,
  known: TransactionFacts = {},
): Judged {
  const { distribution } = source;
  if (!distribution) throw new Error(`the source ${source.name} is not on a cluster`);
  if (!tree) throw new Error('a statement for a cluster was printed without its tree');
  const { kept } = known;
  const reading = readingOf(parameters);
  const query = readQuery(tree, reading.rules);
  const facts = factsOf(query, distribution, reading, known);
  const verdict = verdictOf(query, facts, distribution);
  const planned = { text, parameters };
  const anchor =
    kept && verdict.kind === 'reference' ? anchorOf(query, facts, distribution, kept) : undefined;
  if (anchor) {
    const anchored = withEdits(tree, { queries: anchor, conditions: new Map() }, reading.rules);
    const statement = otherForm(anchored, parameters);
    return { verdict: { kind: 'router' }, tree: anchored, statement, values: [kept!.value] };
  }
  if (verdict.kind === 'refused' || verdict.kind === 'reference')
    return { verdict, tree, statement: planned, values: [] };
  const values = verdict.kind === 'router' ? pruningValues(query, facts) : [];
  const queries = editsOf(query, facts, verdict.kind === 'all shards');
  const conditions = withoutContradictions(query, facts, reading);
  if (queries.size + conditions.size === 0) return { verdict, values, tree, statement: planned };
  const edited = withEdits(tree, { queries, conditions }, reading.rules);
  return { verdict, values, tree: edited, statement: otherForm(edited, parameters) };
}

/** Its parameters are those of the statement, and behind them values of kept rows that it did not have. */
function otherForm(form: Sql, of: readonly ParameterNode[]): Judged['statement'] {
  const parameters = [...of];
  return { text: printInto(form, parameters, (position) => `$${position}`), parameters };
}

function readingOf(parameters: readonly ParameterNode[]): StatementReading {
  return { rules: new Map(), text: partPrinter(parameters) };
}

/** Whether a query fixes the distribution column of its first table to one value, whatever it looks at besides. */
export function fixesRows(query: Sql, { distribution }: SourceShape): boolean {
  const reading = readingOf(print(query).parameters);
  const read = readQuery(query, reading.rules);
  return distribution !== undefined && factsOf(read, distribution, reading).fixed(read.items[0]!).size > 0;
}

/**
 * The statement as it is sent to a source: unchanged for plain PostgreSQL.
 * @throws EngineError not-supported for what Citus cannot answer, or would answer wrongly
 */
export function forShards(statement: Statement, source: SourceShape, known?: TransactionFacts): Statement {
  return isDistributed(source) ? sentTo(source, statement, known).statement : statement;
}

/**
 * The same for a source of a cluster, with the verdict.
 * @throws EngineError not-supported
 */
export function sentTo(
  source: SourceShape,
  statement: Statement,
  known?: TransactionFacts,
): {
  readonly statement: Statement;
  readonly tree: Sql;
  readonly kind: Exclude<ShardVerdict['kind'], 'refused'>;
} {
  const { verdict, tree, statement: sent } = judge(statement, source, known);
  if (verdict.kind === 'refused') throw shardError(source.name, verdict.why);
  const { tree: _, ...rest } = statement;
  return { statement: { ...rest, ...sent }, tree, kind: verdict.kind };
}

/** Like `forShards`, before it is printed. @throws EngineError */
export function treeForShards(query: Sql, source: SourceShape): Sql {
  return isDistributed(source) ? sentTo(source, print(query, true)).tree : query;
}

/** Of a source whose tables are spread, for a reason that a reader of the metadata understands. */
export function shardError(source: string, why: string): EngineError {
  return new EngineError(
    'not-supported',
    `the distributed tables of source "${source}" cannot serve this: ${why}`,
  );
}
