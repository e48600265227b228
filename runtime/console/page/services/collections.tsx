/** Collections of saved operations with the allow-list, and the form that saves an operation. */
import { type FormEvent, type ReactNode, useState } from 'react';
import type { ConsoleState } from '../../questions.ts';
import type { AllowlistAnswer, CollectionEntry, ServicesAnswer } from '../../services-questions.ts';
import { TextField } from '../inputs.tsx';
import { keepChange } from '../model/draft.ts';
import { Make } from '../model/make.tsx';
import { List } from '../parts.tsx';
import { allow, dropCollection, dropOperation, renameCollection, saveOperation } from './operations.ts';
import { Roles } from './roles.tsx';

interface Props {
  readonly state: Pick<ConsoleState, 'mode'>;
  readonly services: ServicesAnswer;
}

/** Saves an operation in a collection. @param text absent: it is written here */
export function SaveForm({
  services: { collections },
  text,
  children,
}: Pick<Props, 'services'> & { readonly text?: () => string; readonly children?: ReactNode }) {
  const [collection, setCollection] = useState(collections[0]?.name ?? '');
  const [name, setName] = useState('');
  const [query, setQuery] = useState('');
  const save = (event: FormEvent) => {
    event.preventDefault();
    keepChange(saveOperation(collections, collection.trim(), name.trim(), text ? text() : query));
    setName('');
    setQuery('');
  };
  return (
    <form className="stacked" onSubmit={save}>
      <div className="pair">
        <TextField label="Name" value={name} change={setName} />
        <label className="stacked">
          Collection
          <input
            list="collections"
            value={collection}
            autoComplete="off"
            onChange={({ target }) => setCollection(target.value)}
          />
        </label>
        <datalist id="collections">
          {collections.map((each) => (
            <option key={each.name} value={each.name} />
          ))}
        </datalist>
      </div>
      {!text && (
        <label className="stacked">
          Operation
          <textarea
            rows={5}
            value={query}
            spellCheck={false}
            onChange={({ target }) => setQuery(target.value)}
          />
        </label>
      )}
      <p className="pair">
        <button
          type="submit"
          disabled={name.trim() === '' || collection.trim() === '' || (!text && query.trim() === '')}
        >
          Save in the collection
        </button>
        {children}
      </p>
    </form>
  );
}

export function Collections({ state, services }: Props) {
  const { collections, allowlist, roles } = services;
  return (
    <>
      <h2>Collections</h2>
      {collections.length === 0 && <p className="quiet">There is no collection.</p>}
      {collections.map((collection) => (
        <Collection
          key={collection.name}
          state={state}
          collection={collection}
          listed={allowlist.find((each) => each.collection === collection.name)}
          roles={roles}
        />
      ))}
    </>
  );
}

function Collection({
  state,
  collection: {
    name,
    definition: { queries },
  },
  listed,
  roles,
}: Pick<Props, 'state'> & {
  readonly collection: CollectionEntry;
  readonly listed: AllowlistAnswer | undefined;
  readonly roles: readonly string[];
}) {
  const [newName, setNewName] = useState(name);
  const [chosen, setChosen] = useState<readonly string[]>(listed?.scope.roles ?? []);
  const mayEdit = state.mode !== 'read';
  const next = newName.trim();
  return (
    <details className="card">
      <summary>
        <strong>{name}</strong> · {queries.length === 1 ? '1 operation' : `${queries.length} operations`} ·{' '}
        {scopeText(listed)}
      </summary>
      {queries.length > 0 && (
        <List
          label={`Operations of ${name}`}
          columns={mayEdit ? ['Operation', 'Text', ''] : ['Operation', 'Text']}
        >
          {queries.map((each) => (
            <tr key={each.name}>
              <th scope="row">{each.name}</th>
              <td>
                <code className="cut">{each.query}</code>
              </td>
              {mayEdit && (
                <td>
                  <Make change={dropOperation(name, each.name)} label={each.name}>
                    Drop
                  </Make>
                </td>
              )}
            </tr>
          ))}
        </List>
      )}
      {mayEdit && (
        <>
          <h3>Allow-list</h3>
          <Roles all={roles} chosen={chosen} change={setChosen} isReadOnly={false} />
          <p className="pair">
            <Make
              change={allow(name, listed !== undefined, { global: false, roles: chosen })}
              isDisabled={chosen.length === 0}
            >
              Allow to these roles
            </Make>
            <Make change={allow(name, listed !== undefined, { global: true })}>Allow to every role</Make>
            {listed && <Make change={allow(name, true, undefined)}>Take it from the allow-list</Make>}
          </p>
          <div className="pair">
            <TextField label={`Name of ${name}`} value={newName} change={setNewName} />
            <Make
              change={renameCollection(name, next)}
              isDisabled={next === '' || next === name}
              label={name}
            >
              Rename
            </Make>
            <Make change={dropCollection(name)} label={name}>
              Drop
            </Make>
          </div>
        </>
      )}
    </details>
  );
}

function scopeText(listed: AllowlistAnswer | undefined): string {
  if (!listed) return 'not in the allow-list';
  return `allowed to ${listed.scope.global ? 'every role' : listed.scope.roles?.join(', ')}`;
}
