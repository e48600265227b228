/** Actions: all of them, and each with its definition, types for its handler, and a call of it. */
import type { JsonObject } from '../../../core/json/json.ts';
import type { ConsoleState } from '../../questions.ts';
import type { ActionAnswer, ActionEntry } from '../../services-questions.ts';
import { CopyButton } from '../copy.tsx';
import { useProposal } from '../model/draft.ts';
import { MakeIfAllowed, ReviewLink } from '../model/make.tsx';
import { List, Missing, Name, PageHead, type PageProps, Shown } from '../parts.tsx';
import { address } from '../route.ts';
import { ActionForm } from './action-form.tsx';
import { NewEntry, useServices } from './entry.tsx';
import { dropAction } from './operations.ts';
import { TryOperation } from './try.tsx';

export function Actions({ state, steps: [name] }: PageProps) {
  const loaded = useServices();
  const { value, again } = loaded;
  const action = value?.shown.actions.find((each) => each.name === name);
  if (name !== undefined && name !== '')
    return (
      <>
        <PageHead title={name} value={action} again={again}>
          <a href={address('actions')}>All actions</a>
          <ReviewLink />
        </PageHead>
        <Shown of={loaded}>
          {({ shown: { roles }, problems }) => (
            <>
              {problems}
              {action ? (
                <OneAction key={JSON.stringify(action)} state={state} action={action} roles={roles} />
              ) : (
                <Missing kind="action" name={name} />
              )}
            </>
          )}
        </Shown>
      </>
    );
  return (
    <>
      <PageHead title="Actions" value={value?.shown.actions} again={again}>
        <ReviewLink />
      </PageHead>
      <Shown of={loaded}>
        {({ shown: { actions, roles }, problems }) => (
          <>
            {problems}
            {actions.length === 0 && (
              <p className="quiet">
                There is no action. An action is a field of the API that a webhook of yours answers.
              </p>
            )}
            {actions.length > 0 && <ActionList actions={actions} />}
            <NewEntry state={state} title="New action">
              <ActionForm key={actions.length} state={state} definition={FIRST} roles={roles} />
            </NewEntry>
          </>
        )}
      </Shown>
    </>
  );
}

function ActionList({ actions }: { readonly actions: readonly ActionEntry[] }) {
  return (
    <List label="Actions" columns={['Action', 'Kind', 'Answers', 'Handler', 'Roles']}>
      {actions.map(({ name, definition, permissions = [] }) => (
        <tr key={name}>
          <th scope="row">
            <a href={address('actions', name)}>
              <Name text={name} />
            </a>
          </th>
          <td>{kindOf(definition)}</td>
          <td>
            <code>{String(definition.output_type)}</code>
          </td>
          <td>
            <Name text={String(definition.handler)} />
          </td>
          <td>{permissions.length === 0 ? 'admin only' : permissions.map(({ role }) => role).join(', ')}</td>
        </tr>
      ))}
    </List>
  );
}

function kindOf({ type, kind }: JsonObject): string {
  if (type === 'query') return 'query';
  return kind === 'asynchronous' ? 'asynchronous mutation' : 'mutation';
}

const FIRST = `type Mutation {
  greet(name: String!): Greeting
}

type Greeting {
  text: String!
}
`;

function OneAction({
  state,
  action,
  roles,
}: {
  readonly state: ConsoleState;
  readonly action: ActionEntry;
  readonly roles: readonly string[];
}) {
  const loaded = useProposal<ActionAnswer>({ page: 'action', name: action.name });
  return (
    <Shown of={loaded} waiting="Compiling …">
      {({ shown: { definition, call, handler, remaining } }) => (
        <>
          {definition !== undefined && (
            <ActionForm state={state} definition={definition} roles={roles} action={action} />
          )}
          {call && (
            <section className="card" aria-label="Try it">
              <h2>
                Try it <small>what is served, with all that its handler does</small>
              </h2>
              <TryOperation state={state} call={call} isMutation={action.definition.type !== 'query'} />
              {action.definition.kind === 'asynchronous' && (
                <p>
                  Its answer is an id; <a href={address('events', 'action', action.name)}>its calls</a> say
                  what became of it.
                </p>
              )}
            </section>
          )}
          <h2>Handler</h2>
          {handler ? (
            <>
              <Code title="types.ts" text={handler.types} />
              <Code title={`${action.name}.ts`} text={handler.stub} isOpen />
            </>
          ) : (
            <p className="quiet">The action cannot be served as it is.</p>
          )}
          <p>
            <MakeIfAllowed state={state} change={dropAction(action.name, remaining)} label={action.name}>
              Drop
            </MakeIfAllowed>
          </p>
        </>
      )}
    </Shown>
  );
}

/** A file to take along. */
function Code({
  title,
  text,
  isOpen = false,
}: {
  readonly title: string;
  readonly text: string;
  readonly isOpen?: boolean;
}) {
  return (
    <details className="card" open={isOpen}>
      <summary>{title}</summary>
      <p>
        <CopyButton text={() => text}>Copy {title}</CopyButton>
      </p>
      <pre>{text}</pre>
    </details>
  );
}
