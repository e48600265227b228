/** Remote schemas: whether their servers answer, and what a difference to what is served would break. */
import type { RemoteAnswer, RemotesAnswer } from '../operator-questions.ts';
import { metadata, read, useLoaded } from './api.ts';
import { Difference } from './difference.tsx';
import { MakeIfAllowed, ReviewLink } from './model/make.tsx';
import { ActionButton, Badge, Missing, PageHead, type PageProps, Pending, Shown } from './parts.tsx';
import { address } from './route.ts';
import { NewEntry, useServices } from './services/entry.tsx';
import { dropRemote } from './services/operations.ts';
import { RemoteForm, RemotePart, RemoteRoles } from './services/remote.tsx';

type Remote = RemotesAnswer['remotes'][number];

export function Remotes({ state, steps: [name, role] }: PageProps) {
  const loaded = useLoaded('remotes', () => read<RemotesAnswer>('/engine/console/remotes'));
  const services = useServices();
  const entries = services.value?.shown.remotes ?? [];
  if (name !== undefined && loaded.value) {
    const { remotes } = loaded.value;
    const known = remotes.find((each) => each.name === name);
    const entry = entries.find((each) => each.name === name);
    return (
      <>
        {known && role === undefined ? (
          <OneRemote key={name} remote={known} state={state} />
        ) : (
          <PageHead
            title={role === undefined ? name : `${role} in ${name}`}
            value={role === undefined ? entry : entry?.permissions}
            again={services.again}
          >
            {role !== undefined && <a href={address('remotes', name)}>{name}</a>}
            <ReviewLink />
          </PageHead>
        )}
        <Shown of={services}>
          {({ shown: { roles }, problems }) => (
            <>
              {problems}
              {!entry && <Missing kind="remote schema" name={name} />}
              {entry && !known && (
                <p>
                  <Pending />
                </p>
              )}
              {entry && role === undefined && (
                <>
                  <RemoteRoles state={state} remote={entry} roles={roles} />
                  <h2>Definition</h2>
                  <RemoteForm key={JSON.stringify(entry)} state={state} remote={entry} />
                </>
              )}
              {entry && role !== undefined && (
                <RemotePart
                  key={JSON.stringify([role, entry])}
                  {...{ state, remote: entry, role }}
                  isOpen={remotes.some(({ isOpen }) => isOpen)}
                />
              )}
            </>
          )}
        </Shown>
      </>
    );
  }
  const pending = entries.filter((each) => !loaded.value?.remotes.some((known) => known.name === each.name));
  return (
    <>
      <PageHead title="Remote schemas" value={loaded.value} again={loaded.again}>
        <ReviewLink />
      </PageHead>
      <Shown of={services}>{({ problems }) => problems}</Shown>
      <Shown of={loaded}>
        {({ remotes }) => (
          <>
            {remotes.length + pending.length === 0 && (
              <p className="quiet">The metadata has no remote schema.</p>
            )}
            {remotes.map((remote) => (
              <Summary key={remote.name} remote={remote} />
            ))}
            {pending.map((entry) => (
              <section key={entry.name} className="card">
                <h2>
                  <a href={address('remotes', entry.name)}>{entry.name}</a>
                </h2>
                <Pending />
              </section>
            ))}
            <NewEntry state={state} title="New remote schema">
              <RemoteForm key={entries.length} state={state} />
            </NewEntry>
          </>
        )}
      </Shown>
    </>
  );
}

function useRemote(name: string) {
  return useLoaded(`remote ${name}`, () =>
    read<RemoteAnswer>(`/engine/console/remote?name=${encodeURIComponent(name)}`),
  );
}

function Summary({ remote }: { readonly remote: Remote }) {
  const loaded = useRemote(remote.name);
  return (
    <section className="card">
      <h2>
        <a href={address('remotes', remote.name)}>{remote.name}</a> <small>{remote.address}</small>
      </h2>
      <Shown of={loaded} waiting="Asking its server …">
        {(found) => <State found={found} />}
      </Shown>
      <p className="quiet">{usesOf(remote)}</p>
    </section>
  );
}

function OneRemote({ remote, state }: { readonly remote: Remote; readonly state: PageProps['state'] }) {
  const { name } = remote;
  const loaded = useRemote(name);
  const reload = async () => {
    await metadata('reload_remote_schema', { name });
    loaded.again();
  };
  return (
    <>
      <PageHead
        title={
          <>
            {name} <small>{remote.address}</small>
          </>
        }
        value={loaded.value && { ...remote, ...loaded.value }}
        again={loaded.again}
      >
        <ActionButton state={state} run={reload}>
          Reload
        </ActionButton>
        <MakeIfAllowed state={state} change={dropRemote(name)} label={name}>
          Remove
        </MakeIfAllowed>
        <ReviewLink />
      </PageHead>
      <Shown of={loaded} waiting="Asking its server …">
        {(found) => (
          <>
            <section className="card">
              <State found={found} />
              <dl className="facts">
                <dt>Roles</dt>
                <dd>{listed(remote.roles, 'no role has a permission')}</dd>
                <dt>Relationships</dt>
                <dd>{listed(remote.relationships, 'none leads to it')}</dd>
              </dl>
            </section>
            {found.broken.length > 0 && (
              <>
                <h2>Would no longer work</h2>
                <ul>
                  {found.broken.map(({ name: object, reason }) => (
                    <li key={`${object} ${reason}`}>
                      {object && <strong>{object}: </strong>}
                      {reason}
                    </li>
                  ))}
                </ul>
              </>
            )}
            {found.difference !== '' && (
              <>
                <h2>
                  Difference <small>- as it is served, + as its server has it</small>
                </h2>
                <Difference text={found.difference} />
                {found.isCut && (
                  <p className="quiet">
                    There are more lines: <code>engine remote diff {name}</code> prints them all.
                  </p>
                )}
              </>
            )}
          </>
        )}
      </Shown>
    </>
  );
}

const VERDICTS = {
  same: ['good', 'same'],
  compatible: ['warn', 'compatible'],
  breaking: ['bad', 'breaking'],
} as const;

/** Whether the server answers, what is served, and the verdict about the difference. */
function State({ found }: { readonly found: RemoteAnswer }) {
  const { unreachable, problem, isLocked, verdict } = found;
  return (
    <>
      <p className="badges">
        <Badge kind={unreachable === undefined ? 'good' : 'bad'}>
          {unreachable === undefined ? 'reachable' : 'not reachable'}
        </Badge>
        {problem !== undefined && <Badge kind="bad">not served</Badge>}
        {problem === undefined && (
          <Badge kind="neutral">{isLocked ? 'lock is served' : 'served without lock'}</Badge>
        )}
        {verdict && <Badge kind={VERDICTS[verdict][0]}>{VERDICTS[verdict][1]}</Badge>}
      </p>
      {[...new Set([problem, unreachable])].map(
        (text) =>
          text !== undefined && (
            <p key={text} className="problem">
              {text}
            </p>
          ),
      )}
      {verdict === 'compatible' && (
        <p>Its server has changed; everything that works now would work with the change.</p>
      )}
      {verdict === 'breaking' && (
        <p>
          Its server has changed: {found.broken.length} {found.broken.length === 1 ? 'object' : 'objects'}{' '}
          would no longer work with the change.
        </p>
      )}
    </>
  );
}

function usesOf({ roles, relationships, isOpen }: Remote): string {
  const count = (list: readonly string[], one: string) =>
    `${list.length} ${one}${list.length === 1 ? '' : 's'}`;
  const permitted = isOpen
    ? `every role, unless the server is started with --enable-remote-schema-permissions (${count(roles, 'role')} with a permission)`
    : `${count(roles, 'role')} with a permission`;
  return `${permitted}, ${count(relationships, 'relationship')}`;
}

function listed(names: readonly string[], none: string): string {
  return names.length === 0 ? none : names.join(', ');
}
