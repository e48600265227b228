/** One event: its content, and every call that was made for it. */
import { metadata, useLive, useLoaded } from './api.ts';
import { EventState, isOver, type LoggedEvent, scheduledEvents } from './event-table.tsx';
import { masked } from './masked.ts';
import { ActionButton, Badge, PageHead, type PageProps, Shown, time } from './parts.tsx';
import { address } from './route.ts';

/** Where an event comes from. */
type Origin =
  | { readonly kind: 'trigger'; readonly source: string; readonly trigger: string }
  | { readonly kind: 'cron'; readonly trigger: string }
  | { readonly kind: 'one-off' };

interface Invocation {
  readonly id: string;
  readonly created_at: string;
  readonly http_status?: number | null;
  readonly status?: number | null;
  readonly request: unknown;
  readonly response: unknown;
}

interface EventWithCalls {
  /** Absent for schedules, whose events are in lists only, unless it is in the list of one-off events. */
  readonly event?: LoggedEvent;
  readonly invocations: readonly Invocation[];
}

export function OneEvent({
  state,
  of,
  id,
}: {
  readonly state: PageProps['state'];
  readonly of: Origin;
  readonly id: string;
}) {
  const loaded = useLoaded(`event ${id}`, async () => masked(await readEvent(of, id)));
  const { value, again } = loaded;
  const { event } = value ?? {};
  useLive(again, event !== undefined && !isOver(event));
  return (
    <>
      <PageHead
        title={
          <>
            <a href={listOf(of)}>{of.kind === 'one-off' ? 'One-off events' : of.trigger}</a> <code>{id}</code>
          </>
        }
        value={value}
        again={again}
      >
        {of.kind === 'trigger' && value && (
          <ActionButton
            state={state}
            run={async () => {
              await metadata('pg_redeliver_event', { source: of.source, event_id: id });
              again();
            }}
          >
            Deliver again
          </ActionButton>
        )}
        {of.kind === 'one-off' && value && (
          <ActionButton
            state={state}
            confirm="Delete the event and the log of its calls?"
            run={async () => {
              await metadata('delete_scheduled_event', { type: 'one_off', event_id: id });
              location.hash = listOf(of);
            }}
          >
            Delete
          </ActionButton>
        )}
      </PageHead>
      <Shown of={loaded}>
        {({ event, invocations }) => (
          <>
            {event && (
              <section className="card">
                <dl className="facts">
                  <dt>State</dt>
                  <dd>
                    <EventState event={event} />
                  </dd>
                  {event.scheduled_time && (
                    <>
                      <dt>Scheduled for</dt>
                      <dd>{time(event.scheduled_time)}</dd>
                    </>
                  )}
                  {event.webhook_conf && (
                    <>
                      <dt>Webhook</dt>
                      <dd>
                        <code>{event.webhook_conf}</code>
                      </dd>
                    </>
                  )}
                  {event.comment && (
                    <>
                      <dt>Comment</dt>
                      <dd>{event.comment}</dd>
                    </>
                  )}
                  <dt>Created</dt>
                  <dd>{time(event.created_at)}</dd>
                  <dt>Attempts</dt>
                  <dd>{event.tries}</dd>
                  {event.next_retry_at && (
                    <>
                      <dt>Next attempt</dt>
                      <dd>{time(event.next_retry_at)}</dd>
                    </>
                  )}
                </dl>
                <details>
                  <summary>Event</summary>
                  <pre>{JSON.stringify(event.payload, null, 2)}</pre>
                </details>
              </section>
            )}
            <h2>Calls</h2>
            {invocations.length === 0 && <p className="quiet">No call was made for this event.</p>}
            {invocations.map((call) => (
              <Call key={call.id} call={call} />
            ))}
          </>
        )}
      </Shown>
    </>
  );
}

function listOf(of: Origin): string {
  if (of.kind === 'trigger') return address('events', of.kind, of.source, of.trigger);
  return of.kind === 'cron' ? address('events', of.kind, of.trigger) : address('events', of.kind);
}

async function readEvent(of: Origin, id: string): Promise<EventWithCalls> {
  if (of.kind === 'trigger') return metadata('pg_get_event_by_id', { source: of.source, event_id: id });
  const type = of.kind === 'cron' ? 'cron' : 'one_off';
  const [{ invocations }, events] = await Promise.all([
    metadata<EventWithCalls>('get_scheduled_event_invocations', { type, event_id: id }),
    of.kind === 'cron' ? [] : scheduledEvents({ type: 'one_off' }),
  ]);
  const event = events.find((each) => each.id === id);
  return { invocations, ...(event && { event }) };
}

function Call({ call }: { readonly call: Invocation }) {
  const status = call.http_status ?? call.status;
  const isGood = typeof status === 'number' && status >= 200 && status < 300;
  return (
    <section className="card call">
      <h3>
        <Badge kind={isGood ? 'good' : 'bad'}>{status ?? 'no answer'}</Badge> {time(call.created_at)}
      </h3>
      <div className="two">
        <div>
          <h4>Request</h4>
          <pre>{JSON.stringify(call.request, null, 2)}</pre>
        </div>
        <div>
          <h4>Response</h4>
          <pre>{JSON.stringify(call.response, null, 2)}</pre>
        </div>
      </div>
    </section>
  );
}
