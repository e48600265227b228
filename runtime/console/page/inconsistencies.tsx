/** Objects of the metadata that are not served, with the reasons. */
import { metadata, useLoaded } from './api.ts';
import { ActionButton, CopyJson, type PageProps, Problem, Waiting } from './parts.tsx';

interface Inconsistency {
  readonly name: string;
  readonly reason: string;
  readonly type: string;
  readonly definition: unknown;
}

export function Inconsistencies({ state }: PageProps) {
  const { value, error, again } = useLoaded('inconsistencies', () =>
    metadata<readonly Inconsistency[]>('get_inconsistent_metadata'),
  );
  const change = (type: string, args: object) => async () => {
    await metadata(type, args);
    again();
  };
  return (
    <>
      <header>
        <h1>Inconsistencies</h1>
        <ActionButton state={state} run={change('reload_metadata', { reload_sources: true })}>
          Reload
        </ActionButton>
        {value && value.length > 0 && (
          <ActionButton state={state} run={change('drop_inconsistent_metadata', {})}>
            Drop all
          </ActionButton>
        )}
        <CopyJson value={value} />
      </header>
      {error && <Problem error={error} />}
      {value ? (
        value.length === 0 && <p>Everything in the metadata is served.</p>
      ) : (
        <Waiting>Asking the server …</Waiting>
      )}
      {value?.map(({ name, type, reason, definition }) => (
        <section key={`${type} ${name} ${reason}`} className="card">
          <h2>
            {name} <small>{type.replaceAll('_', ' ')}</small>
          </h2>
          <p>{reason}</p>
          <details>
            <summary>Definition</summary>
            <pre>{JSON.stringify(definition, null, 2)}</pre>
          </details>
        </section>
      ))}
    </>
  );
}
