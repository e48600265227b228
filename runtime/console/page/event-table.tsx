/** A list of events, and the state of each. */
import { metadata } from './api.ts';
import { masked } from './masked.ts';
import { Badge, List, time } from './parts.tsx';

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
  /** One-off events. */
  readonly webhook_conf?: string;
  readonly comment?: string | null;
}

/** Events that a list shows. */
export const LIMIT = 100;

/** Events of a schedule, the latest first. */
export async function scheduledEvents(args: {
  readonly type: 'cron' | 'one_off';
  readonly trigger_name?: string;
  readonly status?: readonly string[];
}): Promise<readonly LoggedEvent[]> {
  const { events } = await metadata<{ readonly events: readonly LoggedEvent[] }>('get_scheduled_events', {
    ...args,
    order_by: [{ column: 'scheduled_time', type: 'desc' }],
    limit: LIMIT,
  });
  return masked(events);
}

export function EventTable({
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
            </a>{' '}
            {event.webhook_conf !== undefined && <small>{event.comment ?? event.webhook_conf}</small>}
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

/** Whether nothing more will come of it. */
export function isOver({ status = 'scheduled', delivered, error, archived }: LoggedEvent): boolean {
  return delivered || error || archived || !['scheduled', 'locked'].includes(status);
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
