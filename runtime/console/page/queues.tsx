/** What waits, what failed and what comes next, by queue. */
import type {
  ActionQueue,
  CronQueue,
  QueuesAnswer,
  ScheduledQueue,
  TriggerQueue,
} from '../operator-questions.ts';
import { metadata, read, useLoaded } from './api.ts';
import {
  ActionButton,
  Badge,
  Figure,
  List,
  Name,
  PageHead,
  type PageProps,
  Problem,
  Shown,
  time,
} from './parts.tsx';
import { address } from './route.ts';

export function Queues({ state }: Pick<PageProps, 'state'>) {
  const loaded = useLoaded('queues', () => read<QueuesAnswer>('/engine/console/queues'));
  return (
    <>
      <PageHead title="Events" value={loaded.value} again={loaded.again} />
      {state.isEventingDisabled && (
        <p className="problem">
          This instance delivers no events and makes no calls: disable-eventing is set.
        </p>
      )}
      <Shown of={loaded} waiting="Counting the queues …">
        {({ triggers, crons, oneOff, actions, unread }) => (
          <>
            {unread.map(({ database, reason }) => (
              <Problem key={database} error={new Error(`Figures of ${database} are missing: ${reason}`)} />
            ))}
            <Triggers triggers={triggers} state={state} again={loaded.again} />
            <Crons crons={crons} />
            <h2>One-off events</h2>
            <List numbers={FIGURES} label="One-off events" columns={['Events', ...FIGURES, 'Next']}>
              <tr>
                <th scope="row">
                  <a href={address('events', 'one-off')}>All one-off events</a>
                </th>
                <Figures of={oneOff} />
                <NextTimes of={oneOff} />
              </tr>
            </List>
            <Actions actions={actions} />
          </>
        )}
      </Shown>
    </>
  );
}

const FIGURES = ['Pending', 'Retrying', 'Failed in 24 h'];

function Triggers({
  triggers,
  state,
  again,
}: {
  readonly triggers: readonly TriggerQueue[];
  readonly state: PageProps['state'];
  readonly again: () => void;
}) {
  return (
    <>
      <h2>Event triggers</h2>
      {triggers.length === 0 ? (
        <p className="quiet">No table has an event trigger.</p>
      ) : (
        <List
          numbers={FIGURES}
          label="Event triggers"
          columns={['Trigger', 'Table', ...FIGURES, 'Waiting since', 'State']}
        >
          {triggers.map((trigger) => (
            <tr key={`${trigger.source} ${trigger.name}`}>
              <th scope="row">
                <a href={address('events', 'trigger', trigger.source, trigger.name)}>
                  <Name text={trigger.name} />
                </a>
              </th>
              <td>
                {trigger.table} <small>{trigger.source}</small>
              </td>
              <Figures of={trigger} />
              <td className="time">{time(trigger.oldest)}</td>
              <td className="state">
                <TriggerState trigger={trigger} state={state} again={again} />
              </td>
            </tr>
          ))}
        </List>
      )}
    </>
  );
}

/** Whether a trigger delivers, with the button that changes it. */
export function TriggerState({
  trigger: { source, name, isPaused },
  state,
  again,
}: {
  readonly trigger: Pick<TriggerQueue, 'source' | 'name' | 'isPaused'>;
  readonly state: PageProps['state'];
  readonly again: () => void;
}) {
  if (isPaused === undefined) return <Badge kind="warn">not known</Badge>;
  const change = async () => {
    await metadata(isPaused ? 'pg_resume_event_trigger' : 'pg_pause_event_trigger', { source, name });
    again();
  };
  return (
    <>
      {isPaused ? <Badge kind="warn">paused</Badge> : <Badge kind="good">delivers</Badge>}{' '}
      <ActionButton key={String(isPaused)} state={state} run={change}>
        {isPaused ? 'Resume' : 'Pause'}
      </ActionButton>
    </>
  );
}

function Crons({ crons }: { readonly crons: readonly CronQueue[] }) {
  return (
    <>
      <h2>Cron triggers</h2>
      {crons.length === 0 ? (
        <p className="quiet">There is no cron trigger.</p>
      ) : (
        <List numbers={FIGURES} label="Cron triggers" columns={['Trigger', 'Schedule', ...FIGURES, 'Next']}>
          {crons.map((cron) => (
            <tr key={cron.name}>
              <th scope="row">
                <a href={address('events', 'cron', cron.name)}>
                  <Name text={cron.name} />
                </a>
              </th>
              <td>
                <code>{cron.schedule}</code> <small>{cron.timezone ?? 'UTC'}</small>
              </td>
              <Figures of={cron} />
              <NextTimes of={cron} />
            </tr>
          ))}
        </List>
      )}
    </>
  );
}

function Actions({ actions }: { readonly actions: readonly ActionQueue[] }) {
  return (
    <>
      <h2>Asynchronous actions</h2>
      {actions.length === 0 ? (
        <p className="quiet">There is no asynchronous action.</p>
      ) : (
        <List
          numbers={FIGURES}
          label="Asynchronous actions"
          columns={['Action', 'Pending', 'Failed in 24 h']}
        >
          {actions.map(({ name, pending, failed }) => (
            <tr key={name}>
              <th scope="row">
                <a href={address('events', 'action', name)}>
                  <Name text={name} />
                </a>
              </th>
              <Figure value={pending} />
              <Figure value={failed} isBad />
            </tr>
          ))}
        </List>
      )}
    </>
  );
}

function Figures({ of: { pending, retrying, failed } }: { readonly of: ScheduledQueue }) {
  return (
    <>
      <Figure value={pending} />
      <Figure value={retrying} />
      <Figure value={failed} isBad />
    </>
  );
}

function NextTimes({ of: { next = [] } }: { readonly of: ScheduledQueue }) {
  return (
    <td className="time">
      {next.length === 0 ? <small>none</small> : next.map((each) => <div key={each}>{time(each)}</div>)}
    </td>
  );
}
