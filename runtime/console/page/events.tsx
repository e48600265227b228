/** Event triggers, cron triggers and their events, and redelivery. */
import { metadata, useLoaded } from './api.ts';
import { ActionButton, CopyJson, type PageProps, Problem, time, Waiting } from './parts.tsx';
import { address } from './route.ts';

interface Exported {
  readonly metadata: {
    readonly sources: readonly {
      readonly name: string;
      readonly tables: readonly {
        readonly table: { readonly schema: string; readonly name: string };
        readonly event_triggers?: readonly { readonly name: string; readonly webhook?: string }[];
      }[];
    }[];
    readonly cron_triggers?: readonly { readonly name: string; readonly schedule: string }[];
  };
}

interface LoggedEvent {
  readonly id: string;
  readonly created_at: string;
  readonly tries: number;
  readonly delivered: boolean;
  readonly error: boolean;
  readonly status?: string;
  readonly scheduled_time?: string;
}

export function Events({ state, steps }: PageProps) {
  const [kind, first = '', second = ''] = steps;
  if (kind === 'trigger') return <TriggerEvents state={state} source={first} name={second} />;
  if (kind === 'cron') return <CronEvents name={first} />;
  return <Triggers />;
}

function Triggers() {
  const { value, error } = useLoaded('triggers', () => metadata<Exported>('export_metadata', {}, 2));
  const triggers = value?.metadata.sources.flatMap(({ name: source, tables }) =>
    tables.flatMap(({ table, event_triggers: all = [] }) => all.map(({ name }) => ({ source, table, name }))),
  );
  const crons = value?.metadata.cron_triggers ?? [];
  return (
    <>
      <header>
        <h1>Events</h1>
        <CopyJson value={triggers && { event_triggers: triggers, cron_triggers: crons }} />
      </header>
      {error && <Problem error={error} />}
      {!triggers && !error && <Waiting>Asking the server …</Waiting>}
      <h2>Event triggers</h2>
      {triggers?.length === 0 && <p className="quiet">There are none.</p>}
      <ul className="links">
        {triggers?.map(({ source, table, name }) => (
          <li key={`${source} ${name}`}>
            <a href={address('events', 'trigger', source, name)}>{name}</a>
            <small>
              {table.schema}.{table.name} of {source}
            </small>
          </li>
        ))}
      </ul>
      <h2>Cron triggers</h2>
      {value && crons.length === 0 && <p className="quiet">There are none.</p>}
      <ul className="links">
        {crons.map(({ name, schedule }) => (
          <li key={name}>
            <a href={address('events', 'cron', name)}>{name}</a>
            <small>
              <code>{schedule}</code>
            </small>
          </li>
        ))}
      </ul>
    </>
  );
}

function TriggerEvents({
  state,
  source,
  name,
}: {
  readonly state: PageProps['state'];
  readonly source: string;
  readonly name: string;
}) {
  const { value, error, again } = useLoaded(`events ${source} ${name}`, () =>
    metadata<readonly LoggedEvent[]>('pg_get_event_logs', { source, name, limit: 100 }),
  );
  const redeliver = (id: string) => async () => {
    await metadata('pg_redeliver_event', { source, event_id: id });
    again();
  };
  return (
    <>
      <header>
        <h1>{name}</h1>
        <CopyJson value={value} />
      </header>
      {error && <Problem error={error} />}
      <EventTable events={value} state={state} redeliver={redeliver} />
    </>
  );
}

function CronEvents({ name }: { readonly name: string }) {
  const { value, error } = useLoaded(`cron ${name}`, () =>
    metadata<{ readonly events: readonly LoggedEvent[] }>('get_scheduled_events', {
      type: 'cron',
      trigger_name: name,
      limit: 100,
    }),
  );
  return (
    <>
      <header>
        <h1>{name}</h1>
        <CopyJson value={value?.events} />
      </header>
      {error && <Problem error={error} />}
      <EventTable events={value?.events} />
    </>
  );
}

function EventTable({
  events,
  state,
  redeliver,
}: {
  readonly events: readonly LoggedEvent[] | undefined;
  readonly state?: PageProps['state'];
  readonly redeliver?: (id: string) => () => Promise<void>;
}) {
  if (!events) return <Waiting>Asking the server …</Waiting>;
  if (events.length === 0) return <p className="quiet">There are no events.</p>;
  return (
    <table>
      <thead>
        <tr>
          <th>Event</th>
          <th>Time</th>
          <th>State</th>
          <th>Attempts</th>
          {redeliver && <th />}
        </tr>
      </thead>
      <tbody>
        {events.map((event) => (
          <tr key={event.id}>
            <td>
              <code>{event.id}</code>
            </td>
            <td>{time(event.scheduled_time ?? event.created_at)}</td>
            <td>{event.status ?? (event.delivered ? 'delivered' : event.error ? 'failed' : 'pending')}</td>
            <td>{event.tries}</td>
            {redeliver && state && (
              <td>
                <ActionButton state={state} run={redeliver(event.id)}>
                  Deliver again
                </ActionButton>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
