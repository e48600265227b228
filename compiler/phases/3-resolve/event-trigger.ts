/** Event triggers of tables, and cron triggers: columns that they name, transforms. */
import type { CatalogTable } from '../../../runtime/catalog/catalog.ts';
import {
  captureName,
  type DeliveryShape,
  type EventOperationName,
} from '../../../runtime/core/contract/events.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at, type Diagnostic } from '../../../runtime/core/diagnostics/diagnostic.ts';
import type { EnvironmentText } from '../../../runtime/core/environment-template.ts';
import { displayName, keyOf, quotedName } from '../../../runtime/core/names.ts';
import type { Shape, Shapes } from '../../../runtime/core/template/check.ts';
import {
  checkTransform,
  isUnmarkedForm,
  readRequestTransform,
  readResponseTransform,
  TransformDefinitionError,
} from '../../../runtime/core/template/definition.ts';
import { columnType } from '../../../runtime/core/types.ts';
import { eventTrigger } from '../../../runtime/metadata/kinds/event-trigger.ts';
import type {
  CronTrigger,
  EventOperation,
  EventTrigger,
  JsonObject,
} from '../../../runtime/metadata/metadata.ts';
import { deliveryExtras, retryExtras } from '../../model/delivery.ts';
import type { CapturedColumn, ModelCapture, ModelEvents, ModelEventTrigger } from '../../model/events.ts';
import { missingVariables, type SetVariables } from './environment.ts';
import { attempt, Failure, leaveOut, type ReportedObject, suggest } from './report.ts';
import type { SourceScope, TableScope } from './scope.ts';

/** Resolves event triggers and cron triggers; those that cannot be captured leave with a diagnostic. */
export function resolveEvents(
  scopes: Iterable<SourceScope>,
  cron: readonly CronTrigger[],
  diagnostics: Diagnostic[],
  environment: SetVariables,
): ModelEvents {
  const report = { diagnostics };
  // Reported, and still captured: events of the time without the variable are not lost.
  const requireVariables = (
    object: ReportedObject,
    address: EnvironmentText,
    { headers, signing }: Pick<CronTrigger, 'headers' | 'signing'>,
  ) => {
    const problem = missingVariables(environment, address, headers, signing?.secrets_from_env);
    if (problem) leaveOut(report, object, problem);
  };
  const sources: { source: string; triggers: readonly ModelEventTrigger[] }[] = [];
  for (const scope of scopes) {
    const triggers: ModelEventTrigger[] = [];
    const functions = new Map<string, string>();
    for (const table of scope.tables.values()) {
      for (const trigger of table.entry.event_triggers) {
        const object = reported(scope, table, trigger);
        attempt(report, object, () => {
          const resolved = resolveTrigger(scope, table, trigger);
          warnOfForm(`event trigger "${trigger.name}"`, trigger, diagnostics);
          claimFunctions(functions, resolved);
          triggers.push(resolved);
          requireVariables(object, trigger.webhook, trigger);
        });
      }
    }
    if (triggers.length > 0) sources.push({ source: scope.source.name, triggers: byName(triggers) });
  }
  const consistent = cron.filter((trigger) => {
    let isConsistent = false;
    const object = reportedCron(trigger);
    attempt(report, object, () => {
      requireTransforms(trigger, CRON_SHAPES);
      warnOfForm(`cron trigger "${trigger.name}"`, trigger, diagnostics);
      requireVariables(object, trigger.webhook, trigger);
      isConsistent = true;
    });
    return isConsistent;
  });
  sources.sort((left, right) => (left.source < right.source ? -1 : 1));
  return { sources, cron: byName(consistent) };
}

function byName<Named extends { readonly name: string }>(items: readonly Named[]): readonly Named[] {
  return [...items].sort((left, right) => (left.name < right.name ? -1 : 1));
}

/**
 * Long names are equal once PostgreSQL has cut them.
 * @param taken functions of the source's database, with their event triggers
 * @throws Failure
 */
function claimFunctions(taken: Map<string, string>, { name, operations }: ModelEventTrigger): void {
  const own = new Map<string, string>();
  for (const { operation } of operations) {
    const key = captureName(name, operation);
    const other = taken.get(key) ?? own.get(key);
    if (other !== undefined) throw new Failure(messages.eventTriggerNameTaken({ name: key, other }));
    own.set(key, name);
  }
  for (const [key] of own) taken.set(key, name);
}

/** @throws Failure */
function resolveTrigger(scope: SourceScope, table: TableScope, trigger: EventTrigger): ModelEventTrigger {
  const { definition } = trigger;
  const { kind } = table.catalog;
  const given: readonly (readonly [EventOperationName, EventOperation | undefined])[] = [
    ['INSERT', definition.insert],
    ['UPDATE', definition.update],
    ['DELETE', definition.delete],
  ];
  const operations = given.flatMap(([operation, { columns, payload } = { columns: [] }]) =>
    columns.length === 0 ? [] : [capture(scope, table, operation, columns, payload ?? '*')],
  );
  if (operations.length > 0 && kind !== 'table' && kind !== 'partitioned' && kind !== 'foreign') {
    throw new Failure(messages.eventTriggerOnView({ table: quotedName(table.entry.table) }));
  }
  const { tables = {} } = scope.shape.distribution ?? {};
  const key = keyOf(table.catalog);
  if (operations.length > 0 && Object.hasOwn(tables, key))
    throw new Failure(messages.shardsEventTrigger({ name: trigger.name, table: key }));
  requireTransforms(trigger, eventShapes(operations, definition.enable_manual));
  const { order_by_key: order, cleanup_config: cleanup } = trigger;
  const known = capturedColumns(scope, table);
  const missing = order?.columns.find((name) => !known.has(name));
  if (missing !== undefined)
    throw new Failure(
      messages.eventTriggerColumnMissing({ name: missing, ...suggest(missing, known.keys()) }),
    );
  return {
    name: trigger.name,
    table: table.entry.table,
    manual: definition.enable_manual,
    operations,
    perStatement: isAlone(table.catalog),
    onReplication: trigger.trigger_on_replication ?? false,
    delivery: deliveryOf(trigger),
    ...(order && { order: { columns: order.columns, onError: order.on_error } }),
    ...(cleanup && {
      cleanup: {
        schedule: cleanup.schedule,
        olderThan: cleanup.clear_older_than,
        batchSize: cleanup.batch_size,
        timeout: cleanup.timeout,
        invocations: cleanup.clean_invocation_logs,
        paused: cleanup.paused,
      },
    }),
  };
}

/** Whether statements on the table are the only ones that change its rows, and change no others. */
function isAlone({ kind, partitionOf, inherits }: CatalogTable): boolean {
  return kind === 'table' && partitionOf === undefined && !inherits;
}

function capture(
  scope: SourceScope,
  table: TableScope,
  operation: EventOperationName,
  watched: '*' | readonly string[],
  sent: '*' | readonly string[],
): ModelCapture {
  const all = capturedColumns(scope, table);
  const find = (names: readonly string[]) =>
    names.map((name) => {
      const column = all.get(name);
      if (column === undefined)
        throw new Failure(messages.eventTriggerColumnMissing({ name, ...suggest(name, all.keys()) }));
      return column;
    });
  return {
    operation,
    watches: watched === '*' ? '*' : find(watched),
    sends: sent,
    columns: sent === '*' ? [...all.values()] : find(sent),
  };
}

function capturedColumns(scope: SourceScope, { catalog, columns }: TableScope): Map<string, CapturedColumn> {
  const captured = new Map<string, CapturedColumn>();
  for (const { name, type } of catalog.columns) {
    const shape = columns.get(name);
    if (shape === undefined) continue;
    captured.set(name, { name, type: columnType(scope.shape, shape.type), typeSchema: type.schema });
  }
  return captured;
}

function deliveryOf({ webhook, headers, retry_conf, ...rest }: EventTrigger): DeliveryShape {
  return {
    webhook,
    headers,
    retry: {
      retries: retry_conf.num_retries,
      interval: retry_conf.interval_sec,
      timeout: retry_conf.timeout_sec,
      ...retryExtras(retry_conf),
    },
    ...deliveryExtras(rest),
  };
}

/** @throws Failure */
function requireTransforms(
  {
    request_transform,
    response_transform,
  }: { readonly request_transform?: JsonObject; readonly response_transform?: JsonObject },
  shapes: Shapes,
): void {
  try {
    if (response_transform !== undefined) readResponseTransform(response_transform);
    if (request_transform === undefined) return;
    const [problem] = checkTransform(readRequestTransform(request_transform), shapes);
    if (problem === undefined) return;
    throw new Failure(messages.transformInvalid({ place: problem.at, problem: problem.message }));
  } catch (error) {
    if (!(error instanceof TransformDefinitionError)) throw error;
    const [{ at, message }] = error.problems as [TransformDefinitionError['problems'][number]];
    throw new Failure(messages.transformInvalid({ place: at, problem: message }));
  }
}

function warnOfForm(
  object: string,
  { path, request_transform }: Pick<CronTrigger, 'path' | 'request_transform'>,
  diagnostics: Diagnostic[],
): void {
  if (request_transform !== undefined && isUnmarkedForm(readRequestTransform(request_transform)))
    diagnostics.push(at([...path, 'request_transform'], messages.formContentType({ object })));
}

const ANY: Shape = { kind: 'any' };
const TEXT: Shape = { kind: 'scalar', name: 'String' };

const NAMED: Shape = { kind: 'object', fields: { name: TEXT } };

const VARIABLES: Shapes = { $base_url: TEXT, $session_variables: ANY, $query_params: ANY };

const CRON_SHAPES: Shapes = {
  ...VARIABLES,
  $body: {
    kind: 'object',
    fields: { id: TEXT, name: TEXT, scheduled_time: TEXT, payload: ANY, comment: ANY },
  },
};

/** The input of an event trigger's templates: the delivered body with the columns that are sent. */
function eventShapes(operations: readonly ModelCapture[], manual: boolean): Shapes {
  // Rows of "*" gain columns later, and a payload given by hand has any form.
  const isKnown = !manual && operations.every(({ sends }) => sends !== '*');
  const names = new Set(operations.flatMap(({ columns }) => columns.map(({ name }) => name)));
  const row: Shape = isKnown
    ? { kind: 'object', fields: Object.fromEntries([...names].map((name) => [name, ANY])) }
    : ANY;
  const event: Shape = {
    kind: 'object',
    fields: {
      op: TEXT,
      data: { kind: 'object', fields: { old: row, new: row } },
      session_variables: ANY,
      trace_context: ANY,
    },
  };
  const delivery: Shape = { kind: 'object', fields: { current_retry: ANY, max_retries: ANY } };
  const table: Shape = { kind: 'object', fields: { schema: TEXT, name: TEXT } };
  const fields = { id: TEXT, created_at: TEXT, table, trigger: NAMED, event, delivery_info: delivery };
  return { ...VARIABLES, $body: { kind: 'object', fields } };
}

function reported(scope: SourceScope, table: TableScope, trigger: EventTrigger): ReportedObject {
  const { schema, name } = table.entry.table;
  return {
    path: trigger.path,
    type: 'event_trigger',
    name: `event_trigger ${trigger.name} in table ${displayName(schema, name)} in source ${scope.source.name}`,
    definition: { table: { schema, name }, configuration: eventTrigger.write(trigger) ?? null },
    context: `in table ${quotedName(table.entry.table)}: in event trigger "${trigger.name}": `,
  };
}

function reportedCron({ path, ...trigger }: CronTrigger): ReportedObject {
  return {
    path,
    type: 'cron_trigger',
    name: `cron_trigger ${trigger.name}`,
    definition: trigger as unknown as JsonObject,
    context: `in cron trigger ${trigger.name}: `,
  };
}
