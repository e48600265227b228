/** How the server is, on one page. Figures from memory are there at once, those of databases follow. */
import type { MetadataAnswer, QueuesAnswer } from '../operator-questions.ts';
import type { AccessAnswer, ConsoleState } from '../questions.ts';
import { type Loaded, read, useLoaded } from './api.ts';
import { isEmpty, Next } from './next.tsx';
import { Badge, Figure, List, PageHead, type PageProps, Problem, Shown, time } from './parts.tsx';
import { address } from './route.ts';

/** By name of the source, as `/healthz/sources` answers. */
type Health = Readonly<Record<string, { readonly status: string; readonly error?: string }>>;

export function Overview({ state: opened }: PageProps) {
  const state = useLoaded('overview', () => read<ConsoleState>('/engine/console/state'));
  const stored = useLoaded('metadata', () => read<MetadataAnswer>('/engine/console/metadata'));
  const health = useLoaded('health', () => read<Health>('/healthz/sources'));
  const queues = useLoaded('queues', () => read<QueuesAnswer>('/engine/console/queues'));
  const access = useLoaded('access', () => read<AccessAnswer>('/engine/console/access'));
  const current = state.value ?? opened;
  const again = () => {
    for (const loaded of [state, stored, health, queues, access]) loaded.again();
  };
  if (state.error)
    return (
      <>
        <PageHead title="Overview" value={undefined} again={again} />
        <Problem error={state.error} />
      </>
    );
  const copy = { ...current, metadata: stored.value, health: health.value, queues: queues.value };
  const next = access.value && (
    <Next state={current} access={access.value} metadata={stored.value} queues={queues.value} />
  );
  // Until a role may do something, that is what one comes for.
  const isFirst =
    access.value !== undefined && (isEmpty(current, access.value) || access.value.roles.length === 0);
  return (
    <>
      <PageHead title="Overview" value={copy} again={again} />
      {isFirst && next}
      <dl className="facts">
        <dt>Version</dt>
        <dd>{current.version}</dd>
        <dt>Running since</dt>
        <dd>{time(current.startedAt)}</dd>
        <dt>Metrics</dt>
        <dd>{current.hasMetrics ? 'on, at /v1/metrics' : 'off'}</dd>
        <dt>Events</dt>
        <dd>
          {current.isEventingDisabled
            ? 'not delivered by this instance: disable-eventing is set'
            : 'delivered by this instance'}
        </dd>
      </dl>
      <h2>Metadata</h2>
      <Shown of={stored} waiting="Comparing with what is stored …">
        {(answer) => <Metadata answer={answer} />}
      </Shown>
      <h2>Sources</h2>
      <Sources state={current} health={health} />
      <h2>Queues</h2>
      <Shown of={queues} waiting="Counting the queues …">
        {(answer) => <Queues answer={answer} />}
      </Shown>
      <h2>Last errors</h2>
      <Errors errors={current.lastErrors} />
      {access.error && <Problem error={access.error} />}
      {!isFirst && next}
    </>
  );
}

function Metadata({
  answer: { served, stored, unreachable, program, inconsistencies },
}: {
  readonly answer: MetadataAnswer;
}) {
  const isSame = stored?.resourceVersion === served.resourceVersion && stored.hash === served.hash;
  return (
    <dl className="facts">
      <dt>Served</dt>
      <dd>
        version {served.resourceVersion} <code>{served.hash}</code>
      </dd>
      <dt>Stored</dt>
      <dd>
        {stored ? (
          <>
            version {stored.resourceVersion} <code>{stored.hash}</code>{' '}
            {isSame ? <Badge kind="good">same</Badge> : <Badge kind="bad">drift</Badge>}
          </>
        ) : (
          <span className="problem">{unreachable}</span>
        )}
      </dd>
      {stored && !isSame && (
        <>
          <dt />
          <dd className="problem">
            This instance serves other metadata than is stored: it has not taken it over yet, or could not.
            The reason is among the last errors and in the log.
          </dd>
        </>
      )}
      <dt>Program</dt>
      <dd>
        <code>{program}</code>
      </dd>
      <dt>Inconsistencies</dt>
      <dd>
        <a className={inconsistencies > 0 ? 'problem' : undefined} href={address('inconsistencies')}>
          {inconsistencies}
        </a>
      </dd>
    </dl>
  );
}

function Sources({ state, health }: { readonly state: ConsoleState; readonly health: Loaded<Health> }) {
  if (state.sources.length === 0) return <p className="quiet">No source is served.</p>;
  return (
    <List
      label="Sources"
      columns={['Source', 'Role', 'Database', 'Health', 'Lag', 'Connections', 'Waiting operations']}
      numbers={['Lag', 'Connections', 'Waiting operations']}
    >
      {state.sources.map(({ name, role, address: database, lag, connections }) => (
        <tr key={`${name} ${role} ${database}`}>
          <th scope="row">{name}</th>
          <td>{role}</td>
          <td>{database}</td>
          <td>{role === 'primary' && <HealthOf name={name} health={health} />}</td>
          <td className="number">{lag === undefined ? '' : `${lag.toFixed(1)} s`}</td>
          <td className="number">{connections.connections}</td>
          <td className="number">{connections.waiting}</td>
        </tr>
      ))}
    </List>
  );
}

function HealthOf({
  name,
  health: { value, error },
}: {
  readonly name: string;
  readonly health: Loaded<Health>;
}) {
  if (!value) return <small>{error ? error.message : 'asking …'}</small>;
  const found = value[name];
  if (!found) return <small>not known</small>;
  return (
    <>
      <Badge kind={found.status === 'OK' ? 'good' : 'bad'}>{found.status}</Badge> {found.error}
    </>
  );
}

function Queues({ answer: { triggers, crons, oneOff, actions, unread } }: { readonly answer: QueuesAnswer }) {
  const kinds = [
    { name: 'Event triggers', queues: triggers },
    { name: 'Cron triggers', queues: crons },
    { name: 'One-off events', queues: [oneOff] },
    { name: 'Asynchronous actions', queues: actions },
  ];
  const paused = triggers.filter(({ isPaused }) => isPaused).length;
  return (
    <>
      {unread.length > 0 && (
        <p className="problem" role="alert">
          Without what {unread.map(({ database }) => database).join(', ')} would say, which cannot be read.
        </p>
      )}
      <List
        label="Queues"
        columns={['Queue', 'Pending', 'Failed in 24 h']}
        numbers={['Pending', 'Failed in 24 h']}
      >
        {kinds.map(({ name, queues }) => (
          <tr key={name}>
            <th scope="row">
              <a href={address('events')}>{name}</a>
              {name === 'Event triggers' && paused > 0 && <small> {paused} paused</small>}
            </th>
            <td className="number">{sum(queues.map(({ pending }) => pending))}</td>
            <Figure value={sum(queues.map(({ failed }) => failed))} isBad />
          </tr>
        ))}
      </List>
    </>
  );
}

/** Figures that could not be read do not count: the page says so. */
function sum(figures: readonly (number | undefined)[]): number {
  return figures.reduce<number>((total, figure) => total + (figure ?? 0), 0);
}

function Errors({ errors }: { readonly errors: ConsoleState['lastErrors'] }) {
  if (errors.length === 0) return <p className="quiet">None since the start.</p>;
  return (
    <List label="Last errors" columns={['Last', 'Kind', 'Object', 'Error', 'Times']} numbers={['Times']}>
      {errors.map(({ kind, subject, message, count, last }) => (
        <tr key={`${kind} ${subject} ${message}`}>
          <td className="time">{time(last)}</td>
          <td>{kind}</td>
          <td>{subject}</td>
          <td>{message}</td>
          <td className="number">{count}</td>
        </tr>
      ))}
    </List>
  );
}
