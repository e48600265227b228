/** What to do next: with a server that serves nothing yet, and with one that does, as a developer and as an operator. */
import type { ReactNode } from 'react';
import type { MetadataAnswer, QueuesAnswer } from '../operator-questions.ts';
import type { AccessAnswer, ConsoleState } from '../questions.ts';

interface Step {
  readonly name: string;
  readonly text: ReactNode;
  /** Something is missing, or wrong. */
  readonly isOpen?: boolean;
}

interface NextProps {
  readonly state: ConsoleState;
  readonly access: AccessAnswer;
  /** Absent until they are known. */
  readonly metadata: MetadataAnswer | undefined;
  readonly queues: QueuesAnswer | undefined;
}

/** Whether no database or none of its tables is served. */
export function isEmpty({ sources }: ConsoleState, { lines }: AccessAnswer): boolean {
  return sources.length === 0 || lines.length === 0;
}

export function Next({ state, access, metadata, queues }: NextProps) {
  if (isEmpty(state, access))
    return (
      <section className="card next" aria-label="First steps">
        <h2>Nothing is served yet</h2>
        <ol>
          {firstSteps(state).map((step) => (
            <Item key={step.name} step={step} />
          ))}
        </ol>
      </section>
    );
  return (
    <div className="two">
      <Steps title="Next, as a developer" steps={ofDeveloper(access)} />
      <Steps title="Next, as an operator" steps={ofOperator(state, metadata, queues)} />
    </div>
  );
}

function Steps({ title, steps }: { readonly title: string; readonly steps: readonly Step[] }) {
  return (
    <section className="card next" aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {steps
          .toSorted((left, right) => Number(right.isOpen ?? 0) - Number(left.isOpen ?? 0))
          .map((step) => (
            <Item key={step.name} step={step} />
          ))}
      </ul>
    </section>
  );
}

function Item({ step: { name, text, isOpen } }: { readonly step: Step }) {
  return (
    <li>
      <b className={isOpen ? 'open' : undefined}>{name}</b> {text}
    </li>
  );
}

function operation(type: string, args: object): ReactNode {
  return (
    <pre className="rule">
      {'POST /v1/metadata\n'}
      {JSON.stringify({ type, args }, null, 2)}
    </pre>
  );
}

function firstSteps({ sources }: ConsoleState): readonly Step[] {
  const [source] = sources;
  const connect: Step = {
    name: 'Connect a database.',
    text: (
      <>
        Start the server with <code>--database-url</code>, or add a source whose address is in an environment
        variable:
        {operation('pg_add_source', {
          name: 'default',
          configuration: { connection_info: { database_url: { from_env: 'DATABASE_URL' } } },
        })}
      </>
    ),
  };
  const track: Step = {
    name: 'Track tables and views.',
    text: (
      <>
        Only what is tracked is served. <a href="#/model">The model</a> has what can be tracked, with
        relationships that foreign keys suggest; <code>engine init</code> writes metadata for a whole
        database. One table is tracked by
        {operation('pg_track_table', { source: source?.name ?? 'default', table: 'customer' })}
      </>
    ),
  };
  const permit: Step = {
    name: 'Give a role a permission.',
    text: (
      <>
        Until then only the administrator sees rows. Each table of <a href="#/model">the model</a> has an
        editor of permissions; <code>engine role add</code> proposes rules from foreign keys.
      </>
    ),
  };
  const look: Step = {
    name: 'Look as the role.',
    text: (
      <>
        Read <a href="#/data">its rows</a>, and <a href="#/query">run its requests</a>.
      </>
    ),
  };
  return [...(source ? [] : [connect]), track, permit, look];
}

function ofDeveloper({ roles }: AccessAnswer): readonly Step[] {
  const permit: Step = {
    name: 'Give a role a permission.',
    isOpen: true,
    text: (
      <>
        No role has one: only the administrator may do anything. Each table of <a href="#/model">the model</a>{' '}
        has an editor; <code>engine role add</code> proposes rules from foreign keys.
      </>
    ),
  };
  return [
    ...(roles.length === 0 ? [permit] : []),
    {
      name: 'See what a role sees.',
      text: (
        <>
          <a href="#/data">Rows as a role</a>, with the request, its SQL and plan.
        </>
      ),
    },
    {
      name: 'Try an operation.',
      text: (
        <>
          <a href="#/query">Run it as a role</a>, and have explained what the role is refused.
        </>
      ),
    },
    {
      name: 'Change the model.',
      text: (
        <>
          <a href="#/model">Tables, relationships and permissions</a>, with what a change would grant before
          it is made.
        </>
      ),
    },
    {
      name: 'Check who may do what.',
      text: (
        <>
          <a href="#/access">Every table, view, function and action by role</a>, with rules and their places;
          compare it with a file before a change.
        </>
      ),
    },
    {
      name: 'Save operations.',
      text: (
        <>
          <a href="#/operations">Those of collections</a>, with what they need and how they run.
        </>
      ),
    },
  ];
}

function ofOperator(
  { hasMetrics, isAllowlistEnabled, isEventingDisabled, lastErrors, sources }: ConsoleState,
  metadata: MetadataAnswer | undefined,
  queues: QueuesAnswer | undefined,
): readonly Step[] {
  const steps: (Step | false | undefined)[] = [
    metadata !== undefined &&
      metadata.inconsistencies > 0 && {
        name: `Mend ${metadata.inconsistencies === 1 ? 'an inconsistency' : `${metadata.inconsistencies} inconsistencies`}.`,
        isOpen: true,
        text: <a href="#/inconsistencies">What is not served, and why</a>,
      },
    queues !== undefined &&
      [...queues.triggers, ...queues.crons, queues.oneOff, ...queues.actions].some(
        ({ failed }) => failed,
      ) && {
        name: 'Look at failed events.',
        isOpen: true,
        text: <a href="#/events">Each call and its answer</a>,
      },
    lastErrors.length > 0 && {
      name: 'Read the last errors',
      isOpen: true,
      text: 'at the end of this page.',
    },
    !hasMetrics && {
      name: 'Turn metrics on.',
      text: (
        <>
          <code>--enabled-apis</code> with <code>metrics</code> serves them at <code>/v1/metrics</code>.
        </>
      ),
    },
    !isAllowlistEnabled && {
      name: 'Consider the allow-list.',
      text: (
        <>
          Roles may send any operation. With <code>--enable-allowlist</code> only those of listed collections
          run.
        </>
      ),
    },
    isEventingDisabled && {
      name: 'Deliver events elsewhere.',
      text: 'This instance delivers none.',
    },
    {
      name: 'Watch health.',
      text: (
        <>
          <code>/healthz</code> for probes, <code>/healthz/sources</code> for{' '}
          {sources.length === 1 ? 'the database' : 'each database'}.
        </>
      ),
    },
    {
      name: 'Keep a copy of what is allowed.',
      text: (
        <>
          "Copy as JSON" of <a href="#/access">the matrix</a>: the next deployment can be compared with it.
        </>
      ),
    },
  ];
  return steps.filter((step): step is Step => typeof step === 'object');
}
