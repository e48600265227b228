/**
 * Plans subscriptions. Subscribers whose operation has one text in one role share a statement, which answers a batch of
 * them at once: every value that a subscriber brings, a literal of the document included, is a column of a row of the
 * batch. Subscribers with equal values are one row, a cohort.
 */
import { EngineError } from '../errors.ts';
import { createScope, type PlanOptions } from '../query/scope.ts';
import { type StreamQuery, streamRows } from '../query/stream.ts';
import { planNode } from '../relay/node.ts';
import { REMOTE } from '../remotes/remote-root.ts';
import type { RoleSchema } from '../schema/role-schema.ts';
import { liveForShards, readsCluster, shapeOf } from '../shards/plans.ts';
import { builtIn, join, literal, type ParameterNode, raw, type Sql, sql } from '../sql/fragment.ts';
import { printInto, type Statement } from '../sql/print.ts';
import { type ReadSet, readSetOf } from '../sql/reads.ts';
import { nested, selectStatement } from '../sql/statement.ts';
import { checkOperationDirectives } from './directives.ts';
import { checkFragmentCycles, type Operation } from './document.ts';
import { answerParts, planQuery, type QueryPlan } from './plan.ts';
import { taggedText } from './query-tag.ts';
import type { Selection } from './selection.ts';
import { isWatched, rootSelection, type SelectionContext } from './selection-set.ts';
import type { Variables } from './variables.ts';

export interface SubscriptionPlan {
  readonly kind: 'subscription';
  readonly role: string;
  readonly source: string;
  /**
   * Answers a batch of cohorts. Of a live query: parameters `$1` numbers of the cohorts, `$2` hashes of their last results,
   * `$3` the seed of the hashes, and from `$4` on the values of each parameter, all but the seed as arrays; columns number,
   * hash, and the text below `data`, which is null where the hash is the given one. Of a stream: `$1` numbers, and from
   * `$2` on the values; columns number, the position of the cursor, the text below `data`, and, of one that waits for
   * transactions, `t` if rows do; no row if there is nothing new. Where the text is null, no rows were found, and the position
   * is what the given one means (`now()`, for example), as PostgreSQL writes it.
   */
  readonly text: string;
  /** Parameters of the arrays of values, or of the values. */
  readonly parameters: readonly ParameterNode[];
  /**
   * `text` reads one cohort, whose values are its parameters, from the shards of a cluster. Of a live query: one column, the text below
   * `data`. Of a stream: the position of the cursor, null where no rows are found; the text; what the given position means.
   */
  readonly apart?: true;
  /** What decides which writes it is read again after. */
  readonly reads: ReadSet;
  /** For a stream: the parameter of its cursor, and the GraphQL name of its column. */
  readonly cursor?: { readonly parameter: number; readonly field: string };
  /** For a stream whose rows wait for older transactions: the parameter with the number of the first that they wait for. */
  readonly horizon?: { readonly parameter: number; readonly seconds: number };
}

/** A subscription to what callers answer: the plan runs whenever a caller says that its answer changed. */
export interface WatchedPlan {
  readonly kind: 'watched';
  readonly plan: QueryPlan;
}

/** Rows that a live query reads for one cohort. */
export interface LiveQuery {
  readonly kind: 'live';
  readonly source: string;
  /** A SELECT that yields one row with the text below `data`. */
  readonly query: Sql;
  /** It calls VOLATILE functions. */
  readonly once?: true;
  /** Reads it for one cohort, where no statement reads it for several. */
  readonly apart?: Statement;
  /** Names of its root fields. */
  readonly fields?: string;
}

/** Rows that a stream reads for one cohort; `query` yields the new position of the cursor as well. */
export interface StreamedQuery {
  readonly kind: 'streamed';
  readonly source: string;
  readonly query: Sql;
  /** GraphQL name of the cursor's column. */
  readonly field: string;
  /** Maximum seconds that rows wait for older transactions; `query` yields whether some do. */
  readonly horizon?: number;
  /** Reads it for one cohort, where no statement reads it for several. */
  readonly apart?: Statement;
  /** Names of its root fields. */
  readonly fields?: string;
}

/** Plans a subscription. @throws EngineError for everything that is wrong with it */
export function planSubscription(
  roleSchema: RoleSchema,
  operation: Operation,
  variables: Variables,
  options: PlanOptions,
): SubscriptionPlan | WatchedPlan {
  const read = planRead(roleSchema, operation, variables, options);
  if (read.kind === 'watched') return read;
  const { role } = roleSchema;
  const source = shapeOf(read.source, roleSchema.program.sources);
  const batch = batchPlan(role ?? '', read);
  // Without the name of the operation: several share the statement.
  const tags = { field_name: read.fields, operation_name: undefined, role };
  const plan = { ...batch, text: taggedText(batch.text, tags, source, options.queryTags) };
  const isOfCluster = readsCluster(plan.reads, source);
  return isOfCluster ? { ...plan, reads: { ...plan.reads, isOfCluster } } : plan;
}

/** SQL of a parameter; positions count from 1. */
type Place = (position: number) => string;

const placeholder: Place = (position) => `$${position}`;

/** The statement that reads a batch of cohorts. @param place where it gets its values in another way */
export function batchPlan(
  role: string,
  read: LiveQuery | StreamedQuery,
  place: Place = placeholder,
): SubscriptionPlan {
  const { source, apart } = read;
  const batchPlace = apart ? placeholder : place;
  const statement =
    read.kind === 'live' ? batchStatement(read, batchPlace) : streamStatement(read, batchPlace);
  const plan: SubscriptionPlan = { kind: 'subscription', role, source, ...statement };
  if (!apart) return plan;
  const { parameters, tree } = apart;
  const text = place === placeholder ? apart.text : printInto(tree!, [...parameters], place);
  const cursor = plan.cursor && { ...plan.cursor, parameter: cursorOf(parameters) };
  const reads = readSetOf(read.query, parameters);
  return { ...plan, text, parameters, reads, apart: true, ...(cursor && { cursor }) };
}

function cursorOf(parameters: readonly ParameterNode[]): number {
  return parameters.findIndex(({ source }) => source.from === 'cursor');
}

/** Plans a subscription for one cohort. @throws EngineError for everything that is wrong with it */
export function planRead(
  roleSchema: RoleSchema,
  operation: Operation,
  variables: Variables,
  options: PlanOptions,
): LiveQuery | StreamedQuery | WatchedPlan {
  checkOperationDirectives(operation);
  checkFragmentCycles(operation);
  const root = roleSchema.roots.subscription;
  if (!root) throw new EngineError('validation-failed', 'no subscriptions exist');
  const context: SelectionContext = { operation, variables };
  const selection = rootSelection(root, context);
  checkRootFields(selection, operation);
  if (selection.fields.some(({ definition }) => isWatched(definition))) {
    if (!selection.fields.every(({ definition }) => isWatched(definition)))
      throw new EngineError(
        'not-supported',
        'a subscription cannot have fields of asynchronous actions and of tables',
      );
    return { kind: 'watched', plan: planQuery(roleSchema, selection, context, options) };
  }
  const scope = createScope(roleSchema, options);
  const expressions: Sql[] = [];
  const streams: StreamQuery[] = [];
  const sources = new Set<string>();
  let mayWrite = false;
  const answer = answerParts(selection, (field) => {
    const { selection: inner, arguments: args } = field;
    const { meaning } = field.definition;
    if (meaning.kind === 'node') {
      const node = planNode(field, meaning.root, variables.values, scope);
      sources.add(node.source);
      expressions.push(node.sql);
      return { step: 0, column: expressions.length - 1 };
    }
    if (meaning.kind === 'call' && meaning.caller === REMOTE)
      throw new EngineError('not-supported', 'subscription to remote server is not supported');
    if (meaning.kind !== 'query' && meaning.kind !== 'stream')
      throw new EngineError('not-supported', 'subscriptions on this field is not supported');
    sources.add(meaning.source);
    if (meaning.kind === 'stream') {
      const stream = streamRows(meaning.visible, inner, args, scope);
      streams.push(stream);
      expressions.push(stream.rows);
    } else {
      mayWrite ||= meaning.once === true;
      expressions.push(meaning.resolve(inner, args, scope));
    }
    return { step: 0, column: expressions.length - 1 };
  });
  const [source, ...others] = sources;
  if (source === undefined || others.length > 0)
    throw new EngineError('not-supported', 'all fields of a subscription must be of one source');
  const fields = selection.fields.map(({ definition }) => definition.name).join(',');
  const parts = answer.map((part) =>
    typeof part === 'string'
      ? literal(part)
      : builtIn('coalesce', sql`${nested(expressions[part.column]!)}::text`, raw(`'null'`)),
  );
  const data = join(parts, ' || ');
  const apartFrom = (query: Sql, kind: Parameters<typeof liveForShards>[2]) => {
    const apart = roleSchema.options.ruleHoles
      ? undefined
      : liveForShards(source, query, kind, roleSchema.program.sources);
    return apart && { apart };
  };
  if (streams.length === 0) {
    const query = selectStatement({ columns: sql`${data} as "text"` });
    const once = (mayWrite as boolean) && { once: true as const };
    return { kind: 'live', source, query, fields, ...once, ...apartFrom(query, once ? 'once' : 'live') };
  }
  const { last, from, field, waits, start } = onlyStream(streams, expressions.length);
  const batch = (...further: readonly Sql[]) => {
    const own = [sql`${last} as "cursor"`, sql`${data} as "text"`];
    return selectStatement({ columns: join([...own, ...further], ', '), from: [from] });
  };
  return {
    kind: 'streamed',
    source,
    query: batch(...(waits ? [sql`${waits.rows} as "waits"`] : [])),
    field,
    fields,
    ...(waits && { horizon: waits.seconds }),
    ...apartFrom(batch(sql`${start} as "start"`), 'stream'),
  };
}

/** @throws EngineError when there are other fields besides */
function onlyStream(streams: readonly StreamQuery[], fields: number): StreamQuery {
  if (streams.length < fields)
    throw new EngineError(
      'not-supported',
      'streaming and livequery subscriptions cannot be executed in the same subscription',
    );
  if (streams.length > 1)
    throw new EngineError('not-supported', 'exactly one root field is allowed for streaming subscriptions');
  return streams[0]!;
}

/** @throws EngineError unless there is one root field, or the operation says that it wants several */
function checkRootFields({ fields }: Selection, { node }: Operation): void {
  const several = node.directives?.some(({ name }) => name.value === '_multiple_top_level_fields');
  if (fields.length !== 1 && !several)
    throw new EngineError('validation-failed', 'subscriptions must select one top level field');
  for (const { definition, selection } of fields) {
    if (definition.meaning.kind === 'typename')
      throw new EngineError(
        'not-supported',
        'Introspection at root field level is not supported over subscriptions',
      );
    if (definition.meaning.kind === 'namespace') checkRootFields(selection, { node } as Operation);
  }
}

type Printed = Pick<SubscriptionPlan, 'text' | 'parameters' | 'reads' | 'cursor' | 'horizon'>;

/**
 * The hash is computed by the database, so that a result that did not change is not sent. `offset 0` keeps the planner from
 * computing the result twice.
 */
function batchStatement({ query, once }: LiveQuery, place: Place): Printed {
  const parameters: ParameterNode[] = [];
  const result = printInto(query, parameters, valueOfCohort);
  const text =
    `select "_cohort"."number", "_hash"."value", ` +
    `case when "_hash"."value" is distinct from "_cohort"."hash" then "_result"."text" end ` +
    `from ${cohorts(parameters, place, ['"hash"'], [`(${place(2)})::bigint[]`], 4, once ? READ_ONLY : '')} ` +
    `cross join lateral (${result} offset 0) as "_result" ` +
    `cross join lateral (select pg_catalog.hashtextextended("_result"."text", (${place(3)})::bigint) as "value" offset 0) as "_hash"`;
  const reads = readSetOf(query, parameters);
  // READ_ONLY calls a function that is not immutable, as those for which it is there.
  return { text, parameters, reads: once ? { ...reads, words: [...reads.words, 'set_config'] } : reads };
}

function streamStatement({ query, field, horizon: seconds }: StreamedQuery, place: Place): Printed {
  const parameters: ParameterNode[] = [];
  const result = printInto(query, parameters, valueOfCohort);
  const [column, condition] =
    seconds === undefined ? ['', ''] : [', "_result"."waits"', ' or "_result"."waits"'];
  const cursor = cursorOf(parameters);
  const position = `(${valueOfCohort(cursor + 1)})::text`;
  const text =
    `select "_cohort"."number", coalesce("_result"."cursor", ${position}), ` +
    `case when "_result"."cursor" is not null then "_result"."text" end${column} ` +
    `from ${cohorts(parameters, place, [], [], 2, '', `, ${columnOf(cursor)} as "start"`)} ` +
    `cross join lateral (${result}) as "_result" ` +
    `where "_result"."cursor" is not null or ${position} <> "_cohort"."start"${condition}`;
  return {
    text,
    parameters,
    reads: readSetOf(query, parameters),
    cursor: { parameter: cursor, field },
    ...(seconds !== undefined && {
      horizon: { parameter: parameters.findIndex(({ source }) => source.from === 'horizon'), seconds },
    }),
  };
}

function columnOf(parameter: number): string {
  return `"value ${parameter + 1}"`;
}

function valueOfCohort(position: number): string {
  return `"_cohort".${columnOf(position - 1)}`;
}

/**
 * A live query is read again and again, for several sessions at once, so nothing that it calls may write. Holds from the first
 * cohort to the end of the statement's transaction.
 */
const READ_ONLY = ` where pg_catalog.set_config('transaction_read_only', 'on', true) is not null`;

/**
 * The batch as a FROM item. Its values are cast here, and `offset 0` keeps the casts here: where a condition compares, Postgres
 * would cast a value only when it reaches a row, and a bad value would tell whether there is one.
 * @param first position of the first array of values
 * @param condition ` where …` on the cohorts, or nothing
 * @param further columns of the texts as they are
 */
function cohorts(
  parameters: readonly ParameterNode[],
  place: Place,
  names: readonly string[],
  values: readonly string[],
  first: number,
  condition = '',
  further = '',
): string {
  const own = ['"number"', ...names];
  const columns = parameters.map((_, index) => columnOf(index));
  const cast = parameters.map(({ type }, index) => `(${columns[index]})::${type} as ${columns[index]}`);
  const arrays = parameters.map((_, index) => `(${place(index + first)})::text[]`);
  return (
    `(select ${[...own, ...cast].join(', ')}${further} ` +
    `from ${values.length + arrays.length === 0 ? 'pg_catalog.' : ''}unnest(${[`(${place(1)})::integer[]`, ...values, ...arrays].join(', ')}) ` +
    `as "_cohort" (${[...own, ...columns].join(', ')})${condition} offset 0) as "_cohort"`
  );
}
