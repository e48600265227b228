/** How the server is, on one page. */
import { metadata, useLoaded } from './api.ts';
import { CopyJson, List, type PageProps, Problem, time } from './parts.tsx';

export function Overview({ state }: PageProps) {
  const { value, error } = useLoaded('versions', () =>
    metadata<{ readonly resource_version: number }>('export_metadata', {}, 2),
  );
  const inconsistent = useLoaded('inconsistent', () =>
    metadata<readonly unknown[]>('get_inconsistent_metadata'),
  );
  return (
    <>
      <header>
        <h1>Overview</h1>
        <CopyJson value={state} />
      </header>
      {error && <Problem error={error} />}
      <dl className="facts">
        <dt>Version</dt>
        <dd>{state.version}</dd>
        <dt>Running since</dt>
        <dd>{time(state.startedAt)}</dd>
        <dt>Metadata</dt>
        <dd>
          {state.health === 'unreachable'
            ? 'its database does not answer'
            : `version ${value?.resource_version ?? '…'}`}
        </dd>
        <dt>Inconsistencies</dt>
        <dd>
          <a href="#/inconsistencies">{inconsistent.value?.length ?? '…'}</a>
        </dd>
      </dl>
      <h2>Sources</h2>
      <List
        label="Sources"
        columns={['Source', 'Database', 'Connections', 'Waiting operations']}
        numbers={['Connections', 'Waiting operations']}
      >
        {state.sources.map(({ name, address, connections }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{address}</td>
            <td className="number">{connections.connections}</td>
            <td className="number">{connections.waiting}</td>
          </tr>
        ))}
      </List>
    </>
  );
}
