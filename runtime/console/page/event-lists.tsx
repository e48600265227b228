/** The events of one trigger or schedule, with its definition. */
import { useState } from 'react';
import type { QueuesAnswer } from '../operator-questions.ts';
import { metadata, read, useLive, useLoaded } from './api.ts';
import { EventTable, LIMIT, type LoggedEvent, scheduledEvents } from './event-table.tsx';
import { MakeIfAllowed, ReviewLink } from './model/make.tsx';
import { ActionButton, Missing, PageHead, type PageProps, Pending, Shown } from './parts.tsx';
import { TriggerState } from './queues.tsx';
import { address } from './route.ts';
import { CronForm } from './services/cron.tsx';
import { NewEntry, useServices } from './services/entry.tsx';
import { OneOffForm } from './services/one-off.tsx';
import { dropCron, dropTrigger } from './services/operations.ts';
import { TriggerForm } from './services/trigger.tsx';
import { TryTrigger } from './services/try-trigger.tsx';

export function TriggerEvents({
  state,
  source,
  name,
}: {
  readonly state: PageProps['state'];
  readonly source: string;
  readonly name: string;
}) {
  const services = useServices();
  const entry = services.value?.shown.triggers.find(
    (each) => each.source === source && each.trigger.name === name,
  );
  const queue = useLoaded(`queue ${source} ${name}`, async () => {
    const { triggers } = await read<QueuesAnswer>('/engine/console/queues');
    return triggers.find((each) => each.source === source && each.name === name) ?? null;
  });
  return (
    <>
      <PageHead
        title={
          <>
            {name} <small>event trigger of {source}</small>
          </>
        }
        value={entry}
        again={() => {
          services.again();
          queue.again();
        }}
      >
        {queue.value && <TriggerState trigger={queue.value} state={state} again={queue.again} />}
        {entry && (
          <MakeIfAllowed state={state} change={dropTrigger(source, name)} label={name}>
            Delete
          </MakeIfAllowed>
        )}
        <ReviewLink />
      </PageHead>
      {queue.value === null && entry && (
        <p>
          <Pending />
        </p>
      )}
      {queue.value && (
        <Deliveries state={state} source={source} name={name}>
          {(sent) =>
            entry && (
              <TryTrigger
                state={state}
                table={{ source, ...entry.table }}
                trigger={entry.trigger}
                sent={sent}
              />
            )
          }
        </Deliveries>
      )}
      <Shown of={services}>
        {({ problems }) => (
          <>
            {problems}
            <h2>Definition</h2>
            {entry ? (
              <TriggerForm
                key={JSON.stringify(entry)}
                state={state}
                tables={[]}
                of={{ table: { source, ...entry.table }, trigger: entry.trigger }}
              />
            ) : (
              <Missing kind="event trigger" name={name} />
            )}
          </>
        )}
      </Shown>
    </>
  );
}

/** The events, read again and again while the page is seen. */
function Deliveries({
  state,
  source,
  name,
  children,
}: {
  readonly state: PageProps['state'];
  readonly source: string;
  readonly name: string;
  /** @param sent to be called when there is a new event */
  readonly children: (sent: () => void) => React.ReactNode;
}) {
  const [status, setStatus] = useState('');
  const loaded = useLoaded(`events ${source} ${name} ${status}`, () =>
    metadata<readonly LoggedEvent[]>('pg_get_event_logs', {
      source,
      name,
      limit: LIMIT,
      ...(status && { status }),
    }),
  );
  useLive(loaded.again);
  const redeliverFailed = async () => {
    await metadata('pg_redeliver_events', { source, name, status: 'error' });
    loaded.again();
  };
  return (
    <>
      <div className="filters">
        <label>
          Events{' '}
          <select value={status} onChange={({ target }) => setStatus(target.value)}>
            <option value="">all, the newest {LIMIT}</option>
            <option value="pending">pending</option>
            <option value="error">failed</option>
            <option value="processed">finished</option>
          </select>
        </label>
        {loaded.value && (
          <ActionButton
            state={state}
            run={redeliverFailed}
            confirm="Deliver failed events again, at most 1000, the oldest first?"
          >
            Deliver failed events again
          </ActionButton>
        )}
      </div>
      <Shown of={loaded}>
        {(events) => (
          <EventTable events={events} addressOf={(id) => address('events', 'trigger', source, name, id)} />
        )}
      </Shown>
      {children(loaded.again)}
    </>
  );
}

export function CronEvents({ state, name }: Pick<PageProps, 'state'> & { readonly name: string }) {
  const services = useServices();
  const trigger = services.value?.shown.crons.find((each) => each.name === name);
  const loaded = useLoaded(`cron ${name}`, () =>
    // A hundred future ones are always there: the Events page shows the next.
    scheduledEvents({
      type: 'cron',
      trigger_name: name,
      status: ['locked', 'delivered', 'error', 'dead'],
    }),
  );
  return (
    <>
      <PageHead
        title={
          <>
            {name} <small>cron trigger</small>
          </>
        }
        value={loaded.value}
        again={loaded.again}
      >
        {trigger && (
          <MakeIfAllowed state={state} change={dropCron(name)} label={name}>
            Delete
          </MakeIfAllowed>
        )}
        <ReviewLink />
      </PageHead>
      <Shown of={loaded}>
        {(events) => <EventTable events={events} addressOf={(id) => address('events', 'cron', name, id)} />}
      </Shown>
      <Shown of={services}>
        {({ problems }) => (
          <>
            {problems}
            <h2>Definition</h2>
            {trigger ? (
              <CronForm key={JSON.stringify(trigger)} state={state} trigger={trigger} />
            ) : (
              <Missing kind="cron trigger" name={name} />
            )}
          </>
        )}
      </Shown>
    </>
  );
}

/** One-off events, the latest first; read again and again while the page is seen. */
export function OneOffEvents({ state }: Pick<PageProps, 'state'>) {
  const loaded = useLoaded('one-off', () => scheduledEvents({ type: 'one_off' }));
  useLive(loaded.again);
  return (
    <>
      <PageHead title="One-off events" value={loaded.value} again={loaded.again} />
      <NewEntry state={state} title="New one-off event">
        <OneOffForm state={state} made={loaded.again} />
      </NewEntry>
      <Shown of={loaded}>
        {(events) => <EventTable events={events} addressOf={(id) => address('events', 'one-off', id)} />}
      </Shown>
    </>
  );
}
