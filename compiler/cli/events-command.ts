/** `engine events`: what became of the events of a running server, and what operators do about it. */
import type { CommandContext } from './command.ts';
import { ask, type EndpointOptions } from './metadata-server.ts';

export interface EventsOptions extends EndpointOptions {
  readonly source: string;
  readonly format: 'text' | 'json';
  readonly status?: string;
  readonly limit?: string;
  readonly since?: string;
  readonly perSecond?: string;
}

interface EventRow {
  readonly id: string;
  readonly created_at: string;
  readonly delivered: boolean;
  readonly error: boolean;
  readonly archived: boolean;
  readonly tries: number;
  readonly next_retry_at: string | null;
  readonly payload: { readonly op: string };
}

interface InvocationRow {
  readonly created_at: string;
  readonly http_status: number | null;
  readonly response: { readonly data?: { readonly message?: string } } | null;
}

/** Lists the events of an event trigger, newest first. */
export async function listCommand(
  trigger: string,
  { source, status, limit, format, ...server }: EventsOptions,
  context: CommandContext,
): Promise<number> {
  const args = { name: trigger, source, ...(status && { status }), ...(limit && { limit: Number(limit) }) };
  const rows = (await ask(server, context, { type: 'pg_get_event_logs', args })) as readonly EventRow[];
  if (format === 'json') context.stdout(json(rows));
  else for (const row of rows) context.stdout(`${eventLine(row)}\n`);
  if (format === 'text' && rows.length === 0) context.stdout('No events.\n');
  return 0;
}

/** Shows an event and the calls that were made for it. */
export async function showCommand(
  event_id: string,
  { source, format, ...server }: EventsOptions,
  context: CommandContext,
): Promise<number> {
  const answer = await ask(server, context, { type: 'pg_get_event_by_id', args: { event_id, source } });
  if (format === 'json') {
    context.stdout(json(answer));
    return 0;
  }
  const { event, invocations } = answer as { event: EventRow; invocations: readonly InvocationRow[] };
  context.stdout(`${eventLine(event)}\n${json(event.payload)}`);
  for (const { created_at, http_status, response } of invocations) {
    const message = response?.data?.message;
    const said = message === undefined ? '' : `   ${JSON.stringify(message.slice(0, 200))}`;
    context.stdout(`call ${created_at}   ${http_status ?? 'no answer'}${said}\n`);
  }
  return 0;
}

/** Delivers an event again, or many of a trigger. */
export async function redeliverCommand(
  name: string,
  { source, status, limit, since, perSecond, ...server }: EventsOptions,
  context: CommandContext,
): Promise<number> {
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(name)) {
    await ask(server, context, { type: 'pg_redeliver_event', args: { event_id: name, source } });
    context.stdout('1 event is delivered again.\n');
    return 0;
  }
  const args = {
    ...{ name, source },
    ...(status && { status }),
    ...(limit && { limit: Number(limit) }),
    ...(since && { since }),
    ...(perSecond && { per_second: Number(perSecond) }),
  };
  const { events } = (await ask(server, context, { type: 'pg_redeliver_events', args })) as {
    events: number;
  };
  context.stdout(`${events} ${events === 1 ? 'event is' : 'events are'} delivered again.\n`);
  return 0;
}

/** Stops the deliveries of an event trigger, or lets them go on. */
export async function pauseCommand(
  operation: 'pause' | 'resume',
  name: string,
  { source, ...server }: EventsOptions,
  context: CommandContext,
): Promise<number> {
  await ask(server, context, { type: `pg_${operation}_event_trigger`, args: { name, source } });
  context.stdout(
    operation === 'pause'
      ? `${name} is paused: its events are captured and wait.\n`
      : `${name} delivers again.\n`,
  );
  return 0;
}

function eventLine({ id, created_at, payload, tries, next_retry_at, ...row }: EventRow): string {
  const state = row.archived ? 'archived' : row.delivered ? 'delivered' : row.error ? 'error' : 'pending';
  const next = next_retry_at === null ? '' : `   next attempt ${next_retry_at}`;
  return `${id}   ${created_at}   ${payload.op}   ${state}   ${tries} ${tries === 1 ? 'attempt' : 'attempts'}${next}`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
