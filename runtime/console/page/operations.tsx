/** Saved operations: who may run them, and how they can be reached. */
import { useDeferredValue, useMemo, useState } from 'react';
import type { OperationsAnswer } from '../operator-questions.ts';
import { allowedText } from './allowed.ts';
import { read, useLoaded } from './api.ts';
import { ReviewLink } from './model/make.tsx';
import { Operation } from './operation.tsx';
import { Badge, List, Many, Name, PageHead, type PageProps, Shown } from './parts.tsx';
import { address } from './route.ts';
import { Collections, SaveForm } from './services/collections.tsx';
import { EndpointForm, Endpoints } from './services/endpoints.tsx';
import { NewEntry, useServices } from './services/entry.tsx';

export function Operations({ state, steps: [collection, name] }: PageProps) {
  if (collection !== undefined && name !== undefined)
    return <Operation key={`${collection}/${name}`} state={state} collection={collection} name={name} />;
  return <All state={state} />;
}

function All({ state }: Pick<PageProps, 'state'>) {
  const loaded = useLoaded('operations', () => read<OperationsAnswer>('/engine/console/operations'));
  const services = useServices();
  return (
    <>
      <PageHead
        title="Operations"
        value={loaded.value?.operations}
        again={() => {
          loaded.again();
          services.again();
        }}
      >
        <ReviewLink />
      </PageHead>
      {services.value?.problems}
      <Shown of={loaded} waiting="Reading the generated code …">
        {({ operations }) =>
          operations.length === 0 ? (
            <p className="quiet">No operation is served: no collection has one.</p>
          ) : (
            <Found operations={operations} />
          )
        }
      </Shown>
      <Shown of={services}>
        {({ shown }) => (
          <>
            <NewEntry state={state} title="New operation">
              <SaveForm services={shown} />
            </NewEntry>
            <Collections state={state} services={shown} />
            <Endpoints state={state} services={shown} />
            <NewEntry state={state} title="New REST endpoint">
              <EndpointForm services={shown} />
            </NewEntry>
          </>
        )}
      </Shown>
    </>
  );
}

/** Those that a text is part of. */
function Found({ operations }: OperationsAnswer) {
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text.trim().toLowerCase());
  const found = useMemo(
    () => operations.filter((operation) => searchedIn(operation).includes(wanted)),
    [operations, wanted],
  );
  return (
    <>
      <div className="filters">
        <input
          type="search"
          placeholder="name, collection, role or path"
          aria-label="Operations"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      {found.length === 0 && <p className="quiet">No operation has this in its line.</p>}
      {found.length > 0 && (
        <Many items={found}>
          {(shown) => (
            <List
              label="Operations"
              columns={['Operation', 'Collection', 'Kind', 'Permissions suffice for', 'Allow-list', 'REST']}
            >
              {shown.map((operation) => (
                <tr key={`${operation.collection} ${operation.name}`}>
                  <th scope="row">
                    <a href={address('operations', operation.collection, operation.name)}>
                      <Name text={operation.name} />
                    </a>
                  </th>
                  <td>{operation.collection}</td>
                  <td>
                    <Badge kind="neutral">{operation.kind}</Badge>
                  </td>
                  <td>{operation.roles.length === 0 ? 'admin only' : operation.roles.join(', ')}</td>
                  <td>{allowedText(operation.allowed)}</td>
                  <td>
                    {operation.endpoints.map((endpoint) => (
                      <div key={endpoint}>
                        <code>{endpoint}</code>
                      </div>
                    ))}
                  </td>
                </tr>
              ))}
            </List>
          )}
        </Many>
      )}
    </>
  );
}

function searchedIn({ name, collection, kind, roles, endpoints }: OperationsAnswer['operations'][number]) {
  return [name, collection, kind, ...roles, ...endpoints].join('\n').toLowerCase();
}
