/** Remote schemas, with what is wrong with them. */
import { metadata, useLoaded } from './api.ts';
import { ActionButton, CopyJson, type PageProps, Problem, Waiting } from './parts.tsx';

interface Exported {
  readonly metadata: {
    readonly remote_schemas?: readonly {
      readonly name: string;
      readonly definition: { readonly url?: string; readonly url_from_env?: string };
      readonly permissions?: readonly { readonly role: string }[];
      readonly remote_relationships?: readonly unknown[];
    }[];
  };
}

interface Inconsistency {
  readonly name: string;
  readonly reason: string;
}

export function Remotes({ state }: PageProps) {
  const { value, error, again } = useLoaded('remotes', async () => {
    const [exported, inconsistent] = await Promise.all([
      metadata<Exported>('export_metadata', {}, 2),
      metadata<readonly Inconsistency[]>('get_inconsistent_metadata'),
    ]);
    return (exported.metadata.remote_schemas ?? []).map((remote) => ({
      ...remote,
      problems: inconsistent.filter(({ name }) => name === `remote_schema ${remote.name}`),
    }));
  });
  const reload = (name: string) => async () => {
    await metadata('reload_remote_schema', { name });
    again();
  };
  return (
    <>
      <header>
        <h1>Remote schemas</h1>
        <CopyJson value={value} />
      </header>
      {error && <Problem error={error} />}
      {!value && !error && <Waiting>Asking the server …</Waiting>}
      {value?.length === 0 && <p className="quiet">There are none.</p>}
      {value?.map(({ name, definition, permissions = [], problems }) => (
        <section key={name} className="card">
          <h2>
            {name} <small>{definition.url ?? `the variable ${definition.url_from_env}`}</small>
          </h2>
          {problems.map(({ reason }) => (
            <p key={reason} className="problem">
              {reason}
            </p>
          ))}
          <p>
            {permissions.length === 0
              ? 'No role has a permission.'
              : `Roles: ${permissions.map(({ role }) => role).join(', ')}`}
          </p>
          <ActionButton state={state} run={reload(name)}>
            Reload
          </ActionButton>
        </section>
      ))}
    </>
  );
}
