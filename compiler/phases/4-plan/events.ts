/**
 * Event triggers as SQL: for each operation a function that writes events and the trigger that calls it. Operations on
 * whole statements write all their events with one INSERT. Every name is qualified, because the functions run with an empty
 * search path, as their owner; so a writer needs no rights on the tables of events.
 * @rule What does an event trigger capture?
 */
import {
  type CaptureShape,
  type CronTriggerShape,
  captureName,
  type DeliveryShape,
  type EventsProgram,
  type EventTriggerShape,
} from '../../../runtime/core/contract/events.ts';
import { quoteIdentifier, quoteLiteral } from '../../../runtime/core/sql/fragment.ts';
import { type ColumnType, isStringified } from '../../../runtime/core/types.ts';
import { captureSetting } from '../../../runtime/core/vocabulary.ts';
import type { CronTrigger } from '../../../runtime/metadata/metadata.ts';
import { deliveryExtras, retryExtras } from '../../model/delivery.ts';
import type { CapturedColumn, ModelCapture, ModelEvents, ModelEventTrigger } from '../../model/events.ts';

/** Transition table of a statement. */
const ROWS = 'engine_rows';

/**
 * Functions run in other sessions, whose settings do not change what is sent. Temporary tables and types come last, because a
 * session may make some that are called like those of PostgreSQL.
 */
const CAPTURE_SETTINGS = `set search_path = pg_catalog, pg_temp set datestyle = 'ISO' set intervalstyle = postgres
  set bytea_output = hex set extra_float_digits = 1`;

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
  // An update pairs old and new rows, which only a call per row does; and the functions of PostGIS may fail.
  const perStatement =
    trigger.perStatement &&
    !trigger.onReplication &&
    operation !== 'UPDATE' &&
    !capture.columns.some(isSpatial);
  const name = captureName(trigger.name, operation);
  const rows = operation === 'DELETE' ? 'old' : 'new';
  const timing = perStatement ? `referencing ${rows} table as ${ROWS}\n  for each statement` : 'for each row';
  return {
    operation,
    sends,
    function: functionText(trigger, capture, perStatement, stringify),
    trigger: `create trigger ${quoteIdentifier(name)} after ${operation.toLowerCase()} on ${quoteIdentifier(trigger.table.schema, trigger.table.name)}
  ${timing} execute function engine_catalog.${quoteIdentifier(name)}()`,
    ...(trigger.onReplication ? { always: true as const } : {}),
  };
}

/** How the row of a capture is written into SQL, and what of its table that SQL names. */
interface CapturedRow {
  /** Its columns that are sent, as jsonb. */
  readonly sent: string;
  /** The same by the names of the columns alone, which holds whatever columns the table has. */
  readonly byName: string;
}

/**
 * A write never fails because it is captured. What can fail is a value, which `engine_catalog.event_row` takes care of, and a
 * name: columns may be dropped or renamed outside of the server, until it reads the table again. A call per row catches
 * such errors; its block writes nothing, so that it takes no transaction number. A call per statement looks first whether
 * the columns are there.
 */
function functionText(
  trigger: ModelEventTrigger,
  capture: ModelCapture,
  perStatement: boolean,
  stringify: boolean,
): string {
  const body = perStatement ? statementBody : rowBody;
  const text = `\n${body(trigger, capture, stringify).join('\n')}\n`;
  const quote = dollarQuote(text);
  return `create or replace function engine_catalog.${quoteIdentifier(captureName(trigger.name, capture.operation))}() returns trigger
language plpgsql security definer ${CAPTURE_SETTINGS} as ${quote}${text}${quote}`;
}

const NO_ROW: CapturedRow = { sent: 'null', byName: 'null' };

/** Rows of a statement, all of whose events are one INSERT. Its names are qualified: columns may be called like variables. */
function statementBody(trigger: ModelEventTrigger, capture: ModelCapture, stringify: boolean): Lines {
  const { operation } = capture;
  const row = capturedRow(capture, ROWS, `${ROWS}.*`, stringify);
  const [old, next] = operation === 'INSERT' ? [NO_ROW, row] : [row, NO_ROW];
  const key = keyText(trigger, ROWS, `${ROWS}.*`);
  const named = new Set([
    ...(row.sent === row.byName ? [] : capture.columns.map(({ name }) => name)),
    ...(trigger.order?.columns ?? []),
  ]);
  const insert = (form: keyof CapturedRow): Lines => [
    ...insertLines(key !== undefined),
    ...eventLines(trigger, operation, old[form], next[form]),
    ...(key ? [`, ${key[form]}`] : []),
    `from ${ROWS};`,
  ];
  if (named.size === 0) return ['begin', ...indented([...insert('sent'), 'return null;']), 'end;'];
  return [
    'begin',
    ...indented([
      'if (',
      '  select pg_catalog.count(*) from pg_catalog.pg_attribute as engine_columns',
      '  where engine_columns.attrelid operator(pg_catalog.=) tg_relid and not engine_columns.attisdropped',
      `    and engine_columns.attname operator(pg_catalog.=) any (${textArray([...named])})`,
      `) operator(pg_catalog.=) ${named.size} then`,
      ...indented(insert('sent')),
      'else',
      ...indented(insert('byName')),
      'end if;',
      'return null;',
    ]),
    'end;',
  ];
}

function rowBody(trigger: ModelEventTrigger, capture: ModelCapture, stringify: boolean): Lines {
  const { operation, watches } = capture;
  const [old, next] = (['old', 'new'] as const).map((row) => capturedRow(capture, row, row, stringify));
  const changed = operation === 'DELETE' ? 'old' : 'new';
  const key = keyText(trigger, changed, changed);
  const assign = (form: keyof CapturedRow): Lines => [
    ...(operation === 'INSERT' ? [] : [`engine_old := ${old![form]};`]),
    ...(operation === 'DELETE' ? [] : [`engine_new := ${next![form]};`]),
    ...(key ? [`engine_key := ${key[form]};`] : []),
  ];
  const unchanged: Lines =
    operation === 'UPDATE'
      ? ['if not (', ...indented(changeLines(watches)), ') then', '  return null;', 'end if;']
      : [];
  const capturing = [...unchanged, ...assign('sent')];
  const namesColumns =
    old!.sent !== old!.byName || key !== undefined || (unchanged.length > 0 && watches !== '*');
  return [
    'declare',
    '  engine_old pg_catalog.jsonb;',
    '  engine_new pg_catalog.jsonb;',
    ...(key ? ['  engine_key pg_catalog.text;'] : []),
    'begin',
    ...indented([
      ...(namesColumns
        ? [
            'begin',
            ...indented(capturing),
            'exception when others then',
            ...indented(assign('byName')),
            'end;',
          ]
        : capturing),
      ...insertLines(key !== undefined),
      ...eventLines(trigger, operation, 'engine_old', 'engine_new'),
      key ? ', engine_key;' : ';',
      'return null;',
    ]),
    'end;',
  ];
}

/** Lines of SQL. A name in one may hold a line break, so lines are never split. */
type Lines = readonly string[];

function indented(lines: Lines): Lines {
  return lines.map((line) => `  ${line}`);
}

function insertLines(hasKey: boolean): Lines {
  const columns = `schema_name, table_name, trigger_name, payload${hasKey ? ', key' : ''}`;
  return [`insert into engine_catalog.event_log (${columns})`];
}

/** The values of an event. */
function eventLines({ name, table }: ModelEventTrigger, operation: string, old: string, next: string): Lines {
  return [
    `select ${[table.schema, table.name, name].map(quoteLiteral).join(', ')}, engine_catalog.event_payload(`,
    `  ${quoteLiteral(operation)},`,
    `  ${old},`,
    `  ${next},`,
    `  ${captureSetting('user')},`,
    `  ${captureSetting('tracecontext')}`,
    ')',
  ];
}

/** The values that order events, as text. */
function keyText({ order }: ModelEventTrigger, row: string, whole: string): CapturedRow | undefined {
  if (!order) return undefined;
  const columns = order.columns.map((column) => `${row}.${quoteIdentifier(column)}`);
  return {
    sent: `engine_catalog.event_key(pg_catalog.json_build_array(${columns.join(', ')}))`,
    byName: `engine_catalog.event_key(${whole}, ${textArray(order.columns)})`,
  };
}

function textArray(texts: readonly string[]): string {
  return `array[${texts.map(quoteLiteral).join(', ')}]::pg_catalog.text[]`;
}

/** Whether an update changed one of the columns; NULL equals NULL. */
function changeLines(watches: ModelCapture['watches']): Lines {
  // The whole row by its binary image: that needs no operator, so columns that are added later cannot break it.
  if (watches === '*') return ['old operator(pg_catalog.*<>) new'];
  return watches.map(({ name, type, typeSchema }, index) => {
    const column = quoteIdentifier(name);
    const isChanged = hasEquality(type, typeSchema)
      ? `old.${column} is distinct from new.${column}`
      : `row(old.${column})::pg_catalog.record operator(pg_catalog.*<>) row(new.${column})::pg_catalog.record`;
    return index === 0 ? isChanged : `or ${isChanged}`;
  });
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
  if (type.native === 'enum') return !type.isDomain;
  return typeSchema === 'pg_catalog' && COMPARABLE.has(type.element?.name ?? type.name);
}

/** @param row its name; @param whole the row itself, as an argument */
function capturedRow(
  { sends, columns }: ModelCapture,
  row: string,
  whole: string,
  stringify: boolean,
): CapturedRow {
  const special = columns
    .map((column) => [quoteIdentifier(column.name), valueText(column, row, stringify)] as const)
    .filter(([name, text]) => text !== `${row}.${name}`);
  const byName = `engine_catalog.event_row(${whole}${sends === '*' ? '' : `, ${textArray(sends)}`})`;
  if (special.length === 0) return { sent: byName, byName };
  const list = special.map(([name, text]) => `${text} as ${name}`).join(', ');
  // Written out with its star, the row cannot be taken for a column of its name.
  const object = `(select engine_catalog.event_row(sent.*) from (select ${list}) as sent)`;
  return { sent: `${byName} operator(pg_catalog.||) ${object}`, byName };
}

function valueText({ name, type, typeSchema }: CapturedColumn, row: string, stringify: boolean): string {
  const column = `${row}.${quoteIdentifier(name)}`;
  if (isSpatial({ type })) {
    // The type's schema is where the extension keeps its functions.
    return `${quoteIdentifier(typeSchema)}.st_asgeojson(${column}, 15, 4)::pg_catalog.json`;
  }
  if (!stringify || !isStringified(type)) return column;
  return `${column}::pg_catalog.text${type.element ? '[]' : ''}`;
}

function isSpatial({ type: { family } }: Pick<CapturedColumn, 'type'>): boolean {
  return family === 'geometry' || family === 'geography';
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
    webhook,
    headers,
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
