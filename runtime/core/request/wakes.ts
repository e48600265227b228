/**
 * Names in words the writes that a live query is read again after: tables, columns and keys that its statement reads.
 * @rule What does `generated/` say that a subscription is read again after?
 */

import { TIME_KEYWORDS } from '../condition/rule-reads.ts';
import { sessionWords } from '../condition/words.ts';
import { fullName } from '../names.ts';
import type { Program } from '../program/program.ts';
import { NOBODY } from '../session.ts';
import { bindParameter } from './bind.ts';
import type { SubscriptionPlan } from './subscription.ts';

/**
 * A line for each relation, sorted: `public.ticket (id, subject) where customer_id = X-Engine-User-Id`. Where writes are
 * recorded, a write concerns the live query if it is to such rows; without a condition any row is.
 */
export function wakesOf(plan: SubscriptionPlan, program: Pick<Program, 'tables'>): readonly string[] {
  const { relations, functions, words, hasMoment, isOfCluster } = plan.reads;
  const lines = relations.map(({ schema, name, columns, places }) => {
    const table = program.tables.find(
      ({ source, shape }) => source.name === plan.source && shape.schema === schema && shape.name === name,
    );
    const kind = table?.shape.kind ?? 'table';
    const isStored = kind === 'table' || kind === 'partitioned';
    const conditions = places.map((keys) =>
      keys.map(({ column, parameter }) => `${column} = ${valueText(plan, parameter)}`).join(' and '),
    );
    const isKeyed = isStored && conditions.every((condition) => condition !== '');
    const read = columns === undefined ? 'all columns' : columns.length > 0 ? columns.join(', ') : 'its rows';
    const where = isKeyed ? ` where ${[...new Set(conditions)].join(' or ')}` : '';
    return `${schema}.${name} (${read})${where}${REMARKS[kind] ?? ''}`;
  });
  const calls = functions.map(
    ({ schema, name }) =>
      `${fullName('function', { schema, name })}(): read at the interval, unless the function is IMMUTABLE`,
  );
  const isTimed = hasMoment || words.some((word) => TIME_KEYWORDS.has(word) || TIME_FUNCTIONS.has(word));
  return [
    ...lines,
    ...calls,
    ...(isTimed ? ['the time: read at the interval'] : []),
    ...(isOfCluster ? ['tables of a cluster: read at the interval'] : []),
  ];
}

/** Functions of PostgreSQL that tell the time. */
const TIME_FUNCTIONS: ReadonlySet<string> = new Set([
  ...['now', 'age', 'timeofday', 'clock_timestamp', 'statement_timestamp', 'transaction_timestamp'],
]);

const REMARKS: Readonly<Record<string, string>> = {
  view: ': a view, any row of what it reads',
  materialized: ': a materialized view, read after any write',
  foreign: ': a foreign table, read at the interval',
};

function valueText({ parameters }: SubscriptionPlan, position: number): string {
  const parameter = parameters[position]!;
  const { source } = parameter;
  switch (source.from) {
    case 'session':
      return sessionWords(source.name);
    case 'variable':
      return `$${source.name}`;
    case 'constant':
      return JSON.stringify(bindParameter(parameter, {}, NOBODY));
    default:
      return 'a value of the request';
  }
}
