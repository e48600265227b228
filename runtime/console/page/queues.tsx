/** What waits, what failed and what comes next, by queue. */

import type {
  ActionQueue,
  CronQueue,
  QueuesAnswer,
  ScheduledQueue,
  TriggerQueue,
} from '../operator-questions.ts';
import type { NamedEntry } from '../services-questions.ts';
import { metadata, read, useLoaded } from './api.ts';
import { ReviewLink } from './model/make.tsx';
import {
  ActionButton,
  Badge,
  Figure,
  List,
  Name,
  PageHead,
  type PageProps,
  Pending,
  Problem,
  Shown,
  time,
} from './parts.tsx';
import { address } from './route.ts';
import { CronForm } from './services/cron.tsx';
import { NewEntry, useServices } from './services/entry.tsx';
import { OneOffForm } from './services/one-off.tsx';
import { TriggerForm } from './services/trigger.tsx';

export function Queues({ state }: Pick<PageProps, 'state'>) {
  const loaded = useLoaded('queues', () => read<QueuesAnswer>('/engine/console/queues'));
  const services = useServices();
  return (
    <>
      <PageHead title="Events" value={loaded.value} again={loaded.again}>
        <ReviewLink />
      </PageHead>
      <Shown of={services}>{({ problems }) => problems}</Shown>
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
            <Triggers
              triggers={withPending(
                triggers,
                services.value?.shown.triggers.map(({ source, table, trigger }) => ({
                  source,
                  table: `${table.schema}.${table.name}`,
                  name: trigger.name,
                })),
              )}
              state={state}
              again={loaded.again}
            />
            <NewEntry state={state} title="New event trigger">
              {services.value && (
                <TriggerForm
                  key={services.value.shown.triggers.length}
                  state={state}
                  tables={services.value.shown.tables}
                />
              )}
            </NewEntry>
            <Crons crons={withPending(crons, services.value?.shown.crons.map(cronOf))} />
            <NewEntry state={state} title="New cron trigger">
              <CronForm key={services.value?.shown.crons.length} state={state} />
            </NewEntry>
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
            <NewEntry state={state} title="New one-off event">
              <OneOffForm state={state} made={loaded.again} />
            </NewEntry>
            <Actions actions={actions} />
          </>
        )}
      </Shown>
    </>
  );
}

/** The queues, and the objects that wait to be applied, which have no figures. */
function withPending<Queue extends { readonly name: string; readonly source?: string }>(
  queues: readonly Queue[],
  all: readonly Queue[] = [],
): readonly (Queue & { readonly isPending?: true })[] {
  const isSame = (left: Queue) => (right: Queue) => left.name === right.name && left.source === right.source;
  const pending = all.filter((each) => !queues.some(isSame(each)));
  return [...queues, ...pending.map((each) => ({ ...each, isPending: true as const }))];
}

function cronOf({ name, schedule, timezone }: NamedEntry): CronQueue {
  return { name, schedule: String(schedule), ...(typeof timezone === 'string' && { timezone }) };
}

const FIGURES = ['Pending', 'Retrying', 'Failed in 24 h'];

function Triggers({
  triggers,
  state,
  again,
}: {
  readonly triggers: readonly (TriggerQueue & { readonly isPending?: true })[];
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
                {trigger.isPending ? (
                  <Pending />
                ) : (
                  <TriggerState trigger={trigger} state={state} again={again} />
                )}
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

function Crons({ crons }: { readonly crons: readonly (CronQueue & { readonly isPending?: true })[] }) {
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
                <code>{cron.schedule}</code> <small>{cron.timezone ?? 'UTC'}</small>{' '}
                {cron.isPending && <Pending />}
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
