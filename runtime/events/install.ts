/**
 * Installs event triggers: brings the functions and triggers of a database to exactly the texts of the program. Runs as
 * one transaction, any number of times; what is as it should be is left alone.
 */

import { createHash } from 'node:crypto';
import {
  type CaptureShape,
  captureName,
  type EventTriggerShape,
  type SourceEvents,
} from '../core/contract/events.ts';
import { EngineError } from '../core/errors.ts';
import { quoteIdentifier, quoteLiteral } from '../core/sql/fragment.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import { createOwnTables, namingOwnObjects } from '../database/own-objects.ts';
import { inTransaction, type QueryClient } from '../database/query-client.ts';
import { DROP_EVENT_TABLES, EVENT_TABLES, EVENTS_VERSION } from './schema.ts';

/** Held while installing, so that two instances do not create the same objects. An arbitrary constant. */
const INSTALL_LOCK = 7_264_020;

/** Milliseconds that creating a trigger waits for transactions that use its table. */
const LOCK_TIMEOUT = 10_000;

/** Whatever transactions are by default, and with no names of users: these statements name the schemas of theirs. */
const BEGIN = 'begin isolation level read committed read write; set local search_path = pg_catalog, pg_temp';

/** Event triggers of a source by name. Those that the metadata has, but that are inconsistent, are known and not deleted. */
export interface TriggerNames {
  readonly known: ReadonlySet<string>;
  readonly deleted: readonly string[];
  /** Names of the other sources, which may be on the same database: their triggers are not taken over. */
  readonly otherSources?: readonly string[];
}

/** A function of `engine_catalog` that captures events, with the triggers that call it. */
interface InstalledCapture {
  readonly name: string;
  /** Made by `fingerprint`; null if it was not written by this program. */
  readonly comment: string | null;
  readonly body: string;
  readonly triggers: readonly {
    readonly name: string;
    readonly schema: string;
    readonly table: string;
    /** `O` fires on ordinary changes, `A` always, `D` never. */
    readonly enabled: string;
    readonly comment: string | null;
  }[];
}

const READ_INSTALLED = `
  select p.proname as name, pg_catalog.obj_description(p.oid, 'pg_proc') as comment, p.prosrc as body, (
    select coalesce(json_agg(json_build_object(
      'name', t.tgname, 'schema', n.nspname, 'table', c.relname, 'enabled', t.tgenabled,
      'comment', pg_catalog.obj_description(t.oid, 'pg_trigger')
    ) order by t.oid), '[]')
    from pg_catalog.pg_trigger t
    join pg_catalog.pg_class c on c.oid = t.tgrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    -- Copies that Postgres makes for partitions follow their original.
    where t.tgfoid = p.oid and coalesce((to_jsonb(t) ->> 'tgparentid')::oid, 0) = 0
  ) as triggers
  from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace s on s.oid = p.pronamespace
  where s.nspname = 'engine_catalog' and p.proname like 'notify\\_engine\\_%'`;

/** Installed triggers, by name of the function. */
async function readInstalled(client: QueryClient): Promise<ReadonlyMap<string, InstalledCapture>> {
  const { rows } = await client.query(READ_INSTALLED);
  return new Map((rows as InstalledCapture[]).map((row) => [row.name, row]));
}

/** Triggers that a database should have, by name of the function. */
function expectedCaptures(
  triggers: readonly EventTriggerShape[],
  vocabulary: Vocabulary,
): ReadonlyMap<string, { readonly trigger: EventTriggerShape; readonly capture: CaptureShape }> {
  return new Map(
    triggers.flatMap((trigger) =>
      trigger.captures.map((planned) => {
        const capture = { ...planned, function: vocabulary.capture(planned.function) };
        return [captureName(trigger.name, capture.operation), { trigger, capture }] as const;
      }),
    ),
  );
}

/**
 * Brings a source's database to the program. Functions of this source that it no longer has are dropped with their
 * triggers, and their events archived.
 * @throws EngineError already-exists: another source on this database has a trigger of the same name
 */
export async function installEvents(
  connection: QueryClient,
  events: SourceEvents,
  { known, deleted, otherSources = [] }: TriggerNames,
  vocabulary: Vocabulary,
): Promise<void> {
  const client = namingOwnObjects(connection);
  if (events.triggers.length === 0 && !(await hasEventTables(client))) return;
  await inTransaction(client, BEGIN, async () => {
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT}`);
    await client.query('select pg_catalog.pg_advisory_xact_lock($1)', [INSTALL_LOCK]);
    await prepareTables(client);
    const installed = await readInstalled(client);
    const expected = expectedCaptures(events.triggers, vocabulary);
    const dropped = [...installed].filter(
      ([name, { comment }]) => !expected.has(name) && ownedBy(events.source, comment),
    );
    for (const [name] of dropped)
      await client.query(`drop function engine_catalog.${quoteIdentifier(name)}() cascade`);
    const gone = dropped.map(([name]) => triggerOf(name)).filter((name) => !known.has(name));
    await archive(client, [...gone, ...deleted]);
    for (const [name, { trigger }] of expected) {
      const comment = installed.get(name)?.comment ?? null;
      if (otherSources.some((source) => ownedBy(source, comment)))
        throw new EngineError('already-exists', `Event trigger with name "${trigger.name}" already exists`, {
          path: '$.args',
        });
    }
    for (const [name, { trigger, capture }] of expected)
      await installCapture(client, events.source, name, trigger, capture, installed.get(name));
  });
}

/**
 * Captures of a source that its database does not have as the program says: by name of the function, what is wrong. None where
 * nothing was ever installed: the first start does that.
 */
export async function readDrift(
  client: QueryClient,
  { triggers }: SourceEvents,
  vocabulary: Vocabulary,
): Promise<ReadonlyMap<string, string>> {
  const drift = new Map<string, string>();
  if (!(await hasEventTables(client))) return drift;
  const installed = await readInstalled(client);
  for (const [name, { trigger, capture }] of expectedCaptures(triggers, vocabulary)) {
    const found = installed.get(name);
    if (found === undefined) drift.set(name, 'not installed');
    else if (!hasFunction(found, capture)) drift.set(name, 'another function');
    else if (!hasTrigger(found, trigger, capture)) drift.set(name, 'another trigger, or disabled');
  }
  return drift;
}

/** Removes every trigger of a source and the tables of events: for a source that is dropped. */
export async function removeEvents(client: QueryClient, source: string): Promise<void> {
  if (!(await hasEventTables(client))) return;
  await inTransaction(client, BEGIN, async () => {
    await client.query('select pg_catalog.pg_advisory_xact_lock($1)', [INSTALL_LOCK]);
    const installed = await readInstalled(client);
    const own = [...installed].filter(([, { comment }]) => ownedBy(source, comment));
    for (const [name] of own)
      await client.query(`drop function engine_catalog.${quoteIdentifier(name)}() cascade`);
    // Another source may be on the same database.
    if (own.length === installed.size) await client.query(DROP_EVENT_TABLES);
  });
}

/** Whether there are tables of events that this role can use: those of another source it may not even look at. */
async function hasEventTables(client: QueryClient): Promise<boolean> {
  const { rows } = await client.query(
    `select exists (select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'engine_catalog' and c.relname = 'event_log'
        and pg_catalog.has_schema_privilege(n.oid, 'usage')) as has`,
  );
  return rows[0].has;
}

async function prepareTables(client: QueryClient): Promise<void> {
  const { rows } = await client.query(
    "select pg_catalog.to_regclass('engine_catalog.source_catalog_version') is not null as has",
  );
  if (rows[0].has) {
    const { rows: versions } = await client.query(
      'select version from engine_catalog.source_catalog_version',
    );
    if (versions[0]?.version === EVENTS_VERSION) return;
  }
  await createOwnTables(client, EVENT_TABLES);
}

async function installCapture(
  client: QueryClient,
  source: string,
  name: string,
  trigger: EventTriggerShape,
  capture: CaptureShape,
  found: InstalledCapture | undefined,
): Promise<void> {
  const identifier = `engine_catalog.${quoteIdentifier(name)}`;
  if (found === undefined || !hasFunction(found, capture) || !ownedBy(source, found.comment)) {
    await client.query(capture.function);
    await client.query(`comment on function ${identifier}() is ${quoteLiteral(ownerComment(source))}`);
  }
  if (found !== undefined && hasTrigger(found, trigger, capture)) return;
  for (const old of found?.triggers ?? [])
    await client.query(
      `drop trigger ${quoteIdentifier(old.name)} on ${quoteIdentifier(old.schema, old.table)}`,
    );
  const table = quoteIdentifier(trigger.table.schema, trigger.table.name);
  await client.query(capture.trigger);
  if (capture.always)
    await client.query(`alter table ${table} enable always trigger ${quoteIdentifier(name)}`);
  await client.query(
    `comment on trigger ${quoteIdentifier(name)} on ${table} is ${quoteLiteral(fingerprint(capture.trigger))}`,
  );
}

/** Events of triggers that were deleted are finished with. */
async function archive(client: QueryClient, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await client.query(
    'update engine_catalog.event_log set archived = true where trigger_name = any ($1) and not archived',
    [names],
  );
  await client.query('delete from engine_catalog.paused_event_triggers where trigger_name = any ($1)', [
    names,
  ]);
}

/** `notify_engine_<trigger>_<operation>` → the trigger. */
function triggerOf(name: string): string {
  return name.replace(/^notify_engine_/, '').replace(/_(?:INSERT|UPDATE|DELETE)$/, '');
}

function hasFunction({ body }: InstalledCapture, capture: CaptureShape): boolean {
  const [, quote] = / as (\$engine(?:_\d+)?\$)/.exec(capture.function)!;
  const start = capture.function.indexOf(quote!) + quote!.length;
  return body === capture.function.slice(start, -quote!.length);
}

function hasTrigger(
  { triggers }: InstalledCapture,
  trigger: EventTriggerShape,
  capture: CaptureShape,
): boolean {
  const [found, ...others] = triggers;
  return (
    others.length === 0 &&
    found?.schema === trigger.table.schema &&
    found.table === trigger.table.name &&
    found.enabled === (capture.always ? 'A' : 'O') &&
    found.comment === fingerprint(capture.trigger)
  );
}

function fingerprint(text: string): string {
  return `engine ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

function ownerComment(source: string): string {
  return `Event trigger of source ${JSON.stringify(source)}`;
}

function ownedBy(source: string, comment: string | null): boolean {
  return comment === ownerComment(source);
}
