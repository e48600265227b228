/** A remote schema: where its server is, and what of it a role sees, by check boxes. */
import { useDeferredValue, useState } from 'react';
import type { ConsoleState } from '../../questions.ts';
import type { RemoteEntry, RemotePartAnswer } from '../../services-questions.ts';
import { useLoaded } from '../api.ts';
import { CheckField, TextField } from '../inputs.tsx';
import { propose } from '../model/draft.ts';
import { MakeIfAllowed } from '../model/make.tsx';
import { Review } from '../model/review.tsx';
import { Many, Rule, Shown } from '../parts.tsx';
import { address } from '../route.ts';
import { EntryEditor } from './entry.tsx';
import { AddressField, FlagField, KeyField, NumberField, within } from './fields.tsx';
import { putRemote, setRemotePermission } from './operations.ts';

const NEW: RemoteEntry = { name: '', definition: { url: '' } };

/** @param remote absent: a new one */
export function RemoteForm({
  state,
  remote,
}: {
  readonly state: Pick<ConsoleState, 'mode'>;
  readonly remote?: RemoteEntry;
}) {
  const { permissions: _, remote_relationships: __, ...head } = remote ?? NEW;
  const isNew = remote === undefined;
  return (
    <EntryEditor
      state={state}
      label="The remote schema as JSON"
      value={head}
      isNew={isNew}
      change={(entry) => putRemote(entry, isNew)}
    >
      {(fields) => {
        const definition = within(fields, 'definition');
        return (
          <>
            <KeyField label="Name" name="name" {...fields} isReadOnly={fields.isReadOnly || !isNew} />
            <AddressField label="Address" keys={['url', 'url_from_env']} {...definition} />
            <NumberField
              label="Seconds for a request"
              name="timeout_seconds"
              placeholder="60"
              {...definition}
            />
            <FlagField label="pass the client's headers on" name="forward_client_headers" {...definition} />
          </>
        );
      }}
    </EntryEditor>
  );
}

/** Links to the part of each role. */
export function RemoteRoles({
  state,
  remote,
  roles,
}: {
  readonly state: Pick<ConsoleState, 'mode'>;
  readonly remote: RemoteEntry;
  readonly roles: readonly string[];
}) {
  const [role, setRole] = useState('');
  const permitted = (remote.permissions ?? []).map((each) => each.role);
  const all = [...new Set([...permitted, ...roles])];
  const to = (each: string) => address('remotes', remote.name, each);
  return (
    <>
      <h2>What roles see</h2>
      {all.map((each) => (
        <a key={each} className="chip" href={to(each)}>
          {each}
          {permitted.includes(each) ? ' ✓' : ''}
        </a>
      ))}
      {state.mode !== 'read' && (
        <form
          className="pair"
          onSubmit={(event) => {
            event.preventDefault();
            if (role.trim() !== '') location.hash = to(role.trim());
          }}
        >
          <TextField label="Another role" value={role} change={setRole} />
          <button type="submit">Choose its fields</button>
        </form>
      )}
    </>
  );
}

/** The fields that a role sees. The server adds what the chosen fields need. */
export function RemotePart({
  state,
  remote,
  role,
  isOpen,
}: {
  readonly state: Pick<ConsoleState, 'mode'>;
  readonly remote: RemoteEntry;
  readonly role: string;
  /** Permissions do not count. */
  readonly isOpen: boolean;
}) {
  const former = remote.permissions?.find((each) => each.role === role);
  const [chosen, setChosen] = useState<readonly string[]>();
  const { name } = remote;
  const loaded = useLoaded(`${name} ${role} ${chosen?.join(' ') ?? ''}`, async () => {
    const show = { page: 'remote', name, role, ...(chosen && { chosen }) } as const;
    return { asked: chosen, part: (await propose<RemotePartAnswer | null>(show)).shown };
  });
  return (
    <>
      {isOpen && (
        <p className="problem">
          Every role sees all of it: the server was started without enable-remote-schema-permissions, and
          takes no permission.
        </p>
      )}
      <Shown of={loaded} waiting="Reading the schema …">
        {({ asked, part }) =>
          part?.types ? (
            <div className="editor">
              <Types
                types={part.types}
                // What was chosen just now is shown until the server has added what it needs.
                chosen={(asked === chosen ? part.chosen : chosen) ?? []}
                change={setChosen}
                isReadOnly={state.mode === 'read'}
              />
              <div>
                <Rule words={part.schema || 'nothing'} />
                {state.mode !== 'read' && (
                  <Review
                    text={part.schema ?? ''}
                    change={() =>
                      setRemotePermission(name, role, former !== undefined, part.schema || undefined)
                    }
                    isChanged={chosen !== undefined && part.schema !== former?.definition.schema}
                    isValid={asked === chosen}
                  />
                )}
                {former && (
                  <MakeIfAllowed state={state} change={setRemotePermission(name, role, true, undefined)}>
                    Take the permission away
                  </MakeIfAllowed>
                )}
              </div>
            </div>
          ) : (
            <p className="problem">{part?.problem ?? `There is no remote schema ${name}.`}</p>
          )
        }
      </Shown>
    </>
  );
}

function Types({
  types,
  chosen,
  change,
  isReadOnly,
}: {
  readonly types: NonNullable<RemotePartAnswer['types']>;
  readonly chosen: readonly string[];
  readonly change: (chosen: readonly string[]) => void;
  readonly isReadOnly: boolean;
}) {
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text.trim().toLowerCase());
  const set = new Set(chosen);
  const found = types.filter(({ name, fields }) =>
    [name, ...fields.map((field) => field.name)].some((each) => each.toLowerCase().includes(wanted)),
  );
  const choose = (keys: readonly string[], is: boolean) =>
    change(is ? [...set, ...keys] : chosen.filter((each) => !keys.includes(each)));
  return (
    <div className="fields">
      <TextField label="Find a type or field" value={text} change={setText} />
      <Many items={found}>
        {(shown) =>
          shown.map(({ name, kind, fields }) => {
            const keys = fields.map((field) => `${name}.${field.name}`);
            const isAll = keys.every((key) => set.has(key));
            return (
              <fieldset key={name}>
                <legend>
                  {name} <small>{kind}</small>
                </legend>
                {!isReadOnly && (
                  <p className="pair">
                    <button
                      type="button"
                      aria-label={`${isAll ? 'none' : 'all'} of ${name}`}
                      onClick={() => choose(keys, !isAll)}
                    >
                      {isAll ? 'none' : 'all'}
                    </button>
                  </p>
                )}
                <div className="checks">
                  {fields.map((field) => (
                    <CheckField
                      key={field.name}
                      label={`${field.name}: ${field.type}`}
                      value={set.has(`${name}.${field.name}`)}
                      isReadOnly={isReadOnly}
                      change={(is) => choose([`${name}.${field.name}`], is)}
                    />
                  ))}
                </div>
              </fieldset>
            );
          })
        }
      </Many>
    </div>
  );
}
