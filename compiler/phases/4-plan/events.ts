/**
 * Event triggers as SQL: for each operation a function that writes events and the trigger that calls it. Operations on
 * whole statements write all their events with one INSERT. Every name is qualified, because the functions run with an empty
 * search path, as their owner; so a writer needs no rights on the tables of events.
 */
import {
  type CaptureShape,
  type CronTriggerShape,
  captureName,
  type DeliveryShape,
  type EventsProgram,
  type EventTriggerShape,
} from '../../../runtime/core/events.ts';
import { quoteIdentifier, quoteLiteral } from '../../../runtime/core/sql/fragment.ts';
import { type ColumnType, isStringified } from '../../../runtime/core/types.ts';
import { captureSetting } from '../../../runtime/core/vocabulary.ts';
import type { CronTrigger } from '../../../runtime/metadata/metadata.ts';
import { deliveryExtras, headerOf, retryExtras } from '../../model/delivery.ts';
import type { CapturedColumn, ModelCapture, ModelEvents, ModelEventTrigger } from '../../model/events.ts';

/** @param stringify bigint, numeric and double are sent as strings */
export function planEvents({ sources, cron }: ModelEvents, stringify: boolean): EventsProgram {
  return {
    sources: sources.map(({ source, triggers }) => ({
      source,
      triggers: triggers.map((trigger) => planTrigger(trigger, stringify)),
    })),
    cron: cron.map(planCron),
  };
}

function planTrigger(trigger: ModelEventTrigger, stringify: boolean): EventTriggerShape {
  const { name, table, manual, operations, delivery, order, cleanup } = trigger;
  const { schema, name: tableName } = table;
  return {
    name,
    table: { schema, name: tableName },
    manual,
    captures: operations.map((operation) => planCapture(trigger, operation, stringify)),
    delivery,
    ...(order && { order }),
    ...(cleanup && { cleanup }),
  };
}

function planCapture(trigger: ModelEventTrigger, capture: ModelCapture, stringify: boolean): CaptureShape {
  const { operation, sends } = capture;
  // An update pairs old and new rows, which only a call per row does.
  const perStatement = trigger.perStatement && !trigger.onReplication && operation !== 'UPDATE';
  const name = captureName(trigger.name, operation);
  const rows = operation === 'DELETE' ? 'old' : 'new';
  const timing = perStatement
    ? `referencing ${rows} table as engine_rows\n  for each statement`
    : 'for each row';
  return {
    operation,
    sends,
    function: functionText(trigger, capture, perStatement, stringify),
    trigger: `create trigger ${quoteIdentifier(name)} after ${operation.toLowerCase()} on ${quoteIdentifier(trigger.table.schema, trigger.table.name)}
  ${timing} execute function engine_catalog.${quoteIdentifier(name)}()`,
    ...(trigger.onReplication ? { always: true as const } : {}),
  };
}

function functionText(
  { name, table, order }: ModelEventTrigger,
  capture: ModelCapture,
  perStatement: boolean,
  stringify: boolean,
): string {
  const { operation } = capture;
  const row = (variable: 'old' | 'new') =>
    rowText(capture, perStatement ? 'engine_rows' : variable, perStatement, stringify);
  const [old, next] = [
    operation === 'INSERT' ? 'null' : row('old'),
    operation === 'DELETE' ? 'null' : row('new'),
  ];
  const changed = perStatement ? 'engine_rows' : operation === 'DELETE' ? 'old' : 'new';
  const key = order?.columns.map((column) => `${changed}.${quoteIdentifier(column)}`).join(', ');
  const insert = `insert into engine_catalog.event_log (schema_name, table_name, trigger_name, payload${key ? ', key' : ''})
select ${quoteLiteral(table.schema)}, ${quoteLiteral(table.name)}, ${quoteLiteral(name)}, pg_catalog.jsonb_build_object(
  'op', ${quoteLiteral(operation)},
  'data', pg_catalog.jsonb_build_object('old', ${old}, 'new', ${next}),
  'session_variables', nullif(${captureSetting('user')}, '')::pg_catalog.jsonb,
  'trace_context', nullif(${captureSetting('tracecontext')}, '')::pg_catalog.jsonb
)${key ? `, pg_catalog.jsonb_build_array(${key})::pg_catalog.text` : ''}${perStatement ? '\nfrom engine_rows' : ''};`;
  const body =
    operation === 'UPDATE'
      ? `if ${changeText(capture.watches)} then\n${indent(insert)}\nend if;\nreturn null;`
      : `${insert}\nreturn null;`;
  const text = `\nbegin\n${indent(body)}\nend;\n`;
  const quote = dollarQuote(text);
  return `create or replace function engine_catalog.${quoteIdentifier(captureName(name, operation))}() returns trigger
language plpgsql security definer set search_path = '' as ${quote}${text}${quote}`;
}

/** Whether an update changed one of the columns; NULL equals NULL. */
function changeText(watches: ModelCapture['watches']): string {
  // The whole row by its binary image: that needs no operator, so columns that are added later cannot break it.
  if (watches === '*') return 'old operator(pg_catalog.*<>) new';
  return watches
    .map(({ name, type, typeSchema }) => {
      const column = quoteIdentifier(name);
      return hasEquality(type, typeSchema)
        ? `old.${column} is distinct from new.${column}`
        : `row(old.${column})::pg_catalog.record operator(pg_catalog.*<>) row(new.${column})::pg_catalog.record`;
    })
    .join('\n  or ');
}

/** Types whose `=` means the same value, and is found without a search path. Geometric types compare areas, for instance. */
const COMPARABLE = new Set([
  ...[
    'int2',
    'int4',
    'int8',
    'float4',
    'float8',
    'numeric',
    'money',
    'bool',
    'text',
    'varchar',
    'bpchar',
    'char',
  ],
  ...[
    'name',
    'uuid',
    'jsonb',
    'date',
    'timestamp',
    'timestamptz',
    'time',
    'timetz',
    'interval',
    'bytea',
    'bit',
  ],
  ...[
    'varbit',
    'inet',
    'cidr',
    'macaddr',
    'macaddr8',
    'oid',
    'tsvector',
    'tsquery',
    'int4range',
    'int8range',
  ],
  ...['numrange', 'tsrange', 'tstzrange', 'daterange'],
]);

function hasEquality(type: ColumnType, typeSchema: string): boolean {
  if (type.native === 'enum') return true;
  return typeSchema === 'pg_catalog' && COMPARABLE.has(type.element?.name ?? type.name);
}

/** The row's columns that are sent, as jsonb. */
function rowText(
  { sends, columns }: ModelCapture,
  row: string,
  perStatement: boolean,
  stringify: boolean,
): string {
  const written = columns.map((column) => [column.name, valueText(column, row, stringify)] as const);
  const whole = perStatement ? `pg_catalog.to_jsonb(${row}.*)` : `pg_catalog.to_jsonb(${row})`;
  const special = written.filter(([name, text]) => text !== `${row}.${quoteIdentifier(name)}`);
  if (sends === '*' && special.length === 0) return whole;
  const chosen = sends === '*' ? special : written;
  const list = chosen.map(([name, text]) => `${text} as ${quoteIdentifier(name)}`).join(', ');
  const object = `(select pg_catalog.to_jsonb(sent) from (select ${list}) sent)`;
  return sends === '*' ? `${whole} operator(pg_catalog.||) ${object}` : object;
}

function valueText({ name, type, typeSchema }: CapturedColumn, row: string, stringify: boolean): string {
  const column = `${row}.${quoteIdentifier(name)}`;
  if (type.family === 'geometry' || type.family === 'geography') {
    // The type's schema is where the extension keeps its functions.
    return `${quoteIdentifier(typeSchema)}.st_asgeojson(${column}, 15, 4)::pg_catalog.json`;
  }
  if (!stringify || !isStringified(type)) return column;
  return `${column}::pg_catalog.text${type.element ? '[]' : ''}`;
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ');
}

/** A quote that the text does not have. */
function dollarQuote(text: string): string {
  let quote = '$engine$';
  for (let number = 1; text.includes(quote); number += 1) quote = `$engine_${number}$`;
  return quote;
}

function planCron(trigger: CronTrigger): CronTriggerShape {
  const { name, schedule, timezone, missed, payload, comment, webhook, headers, retry_conf, ...rest } =
    trigger;
  const delivery: DeliveryShape = {
    webhook: { template: webhook },
    headers: headers.map(headerOf),
    retry: {
      retries: retry_conf.num_retries,
      interval: retry_conf.retry_interval_seconds,
      timeout: retry_conf.timeout_seconds,
      ...retryExtras(retry_conf),
    },
    ...deliveryExtras(rest),
  };
  return {
    name,
    schedule,
    ...(timezone === undefined ? {} : { timezone }),
    ...(missed === undefined || missed === 'all' ? {} : { missed }),
    ...(payload === undefined ? {} : { payload }),
    ...(comment === undefined ? {} : { comment }),
    delivery,
    tolerance: retry_conf.tolerance_seconds,
  };
}
