/** The events of one trigger or schedule. */
import { useState } from 'react';
import type { QueuesAnswer } from '../operator-questions.ts';
import { metadata, read, useLoaded } from './api.ts';
import { masked } from './masked.ts';
import { ActionButton, Badge, List, PageHead, type PageProps, Shown, time } from './parts.tsx';
import { TriggerState } from './queues.tsx';
import { address } from './route.ts';

export interface LoggedEvent {
  readonly id: string;
  readonly created_at: string;
  readonly tries: number;
  readonly next_retry_at: string | null;
  /** Event triggers. */
  readonly delivered?: boolean;
  readonly error?: boolean;
  readonly archived?: boolean;
  readonly payload?: unknown;
  /** Schedules. */
  readonly status?: string;
  readonly scheduled_time?: string;
}

/** Events that a list shows. */
const LIMIT = 100;

export function TriggerEvents({
  state,
  source,
  name,
}: {
  readonly state: PageProps['state'];
  readonly source: string;
  readonly name: string;
}) {
  const [status, setStatus] = useState('');
  const queue = useLoaded(`queue ${source} ${name}`, async () => {
    const { triggers } = await read<QueuesAnswer>('/engine/console/queues');
    return triggers.find((each) => each.source === source && each.name === name);
  });
  const loaded = useLoaded(`events ${source} ${name} ${status}`, () =>
    metadata<readonly LoggedEvent[]>('pg_get_event_logs', {
      source,
      name,
      limit: LIMIT,
      ...(status && { status }),
    }),
  );
  const again = () => {
    loaded.again();
    queue.again();
  };
  const redeliverFailed = async () => {
    await metadata('pg_redeliver_events', { source, name, status: 'error' });
    again();
  };
  return (
    <>
      <PageHead
        title={
          <>
            {name} <small>event trigger of {source}</small>
          </>
        }
        value={loaded.value}
        again={again}
      >
        {queue.value && <TriggerState trigger={queue.value} state={state} again={again} />}
        {loaded.value && (
          <ActionButton
            state={state}
            run={redeliverFailed}
            confirm="Deliver failed events again, at most 1000, the oldest first?"
          >
            Deliver failed events again
          </ActionButton>
        )}
      </PageHead>
      <label className="filters">
        Events
        <select value={status} onChange={({ target }) => setStatus(target.value)}>
          <option value="">all, the newest {LIMIT}</option>
          <option value="pending">pending</option>
          <option value="error">failed</option>
          <option value="processed">finished</option>
        </select>
      </label>
      <Shown of={loaded}>
        {(events) => (
          <EventTable events={events} addressOf={(id) => address('events', 'trigger', source, name, id)} />
        )}
      </Shown>
    </>
  );
}

export function CronEvents({ name }: { readonly name: string }) {
  return (
    <ScheduledEvents
      title={
        <>
          {name} <small>cron trigger</small>
        </>
      }
      args={{ type: 'cron', trigger_name: name }}
      // A hundred future ones are always there: the Events page shows the next.
      statuses={['locked', 'delivered', 'error', 'dead']}
      addressOf={(id) => address('events', 'cron', name, id)}
    />
  );
}

export function OneOffEvents() {
  return (
    <ScheduledEvents
      title="One-off events"
      args={{ type: 'one_off' }}
      statuses={[]}
      addressOf={(id) => address('events', 'one-off', id)}
    />
  );
}

function ScheduledEvents({
  title,
  args,
  statuses,
  addressOf,
}: {
  readonly title: React.ReactNode;
  readonly args: { readonly type: 'cron' | 'one_off'; readonly trigger_name?: string };
  readonly statuses: readonly string[];
  readonly addressOf: (id: string) => string;
}) {
  const loaded = useLoaded(JSON.stringify(args), async () => {
    const { events } = await metadata<{ readonly events: readonly LoggedEvent[] }>('get_scheduled_events', {
      ...args,
      status: statuses,
      order_by: [{ column: 'scheduled_time', type: 'desc' }],
      limit: LIMIT,
    });
    return masked(events);
  });
  return (
    <>
      <PageHead title={title} value={loaded.value} again={loaded.again} />
      <Shown of={loaded}>{(events) => <EventTable events={events} addressOf={addressOf} />}</Shown>
    </>
  );
}

function EventTable({
  events,
  addressOf,
}: {
  readonly events: readonly LoggedEvent[];
  readonly addressOf: (id: string) => string;
}) {
  if (events.length === 0) return <p className="quiet">There are no events.</p>;
  return (
    <List
      numbers={['Attempts']}
      label="Events"
      columns={['Event', 'Time', 'State', 'Attempts', 'Next attempt']}
    >
      {events.map((event) => (
        <tr key={event.id}>
          <th scope="row">
            <a href={addressOf(event.id)}>
              <code>{event.id}</code>
            </a>
          </th>
          <td className="time">{time(event.scheduled_time ?? event.created_at)}</td>
          <td>
            <EventState event={event} />
          </td>
          <td className="number">{event.tries}</td>
          <td className="time">{time(event.next_retry_at)}</td>
        </tr>
      ))}
    </List>
  );
}

export function EventState({ event }: { readonly event: LoggedEvent }) {
  const { status, delivered, error, archived, tries } = event;
  if (archived) return <Badge kind="neutral">archived</Badge>;
  if (delivered || status === 'delivered') return <Badge kind="good">delivered</Badge>;
  if (error || status === 'error') return <Badge kind="bad">failed</Badge>;
  if (status === 'dead') return <Badge kind="bad">too late</Badge>;
  if (status === 'locked') return <Badge kind="warn">being delivered</Badge>;
  return <Badge kind="warn">{tries > 0 ? 'retrying' : 'pending'}</Badge>;
}
