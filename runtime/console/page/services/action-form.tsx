/** The form of an action: its definition in GraphQL, how it is called, and by which roles. */
import { useState } from 'react';
import type { JsonObject } from '../../../core/json/json.ts';
import type { ConsoleState } from '../../questions.ts';
import type { ActionAnswer, ActionEntry, ReadAction } from '../../services-questions.ts';
import { propose } from '../model/draft.ts';
import { EntryEditor } from './entry.tsx';
import { type FieldsProps, FlagField, KeyField, NumberField, within } from './fields.tsx';
import { putAction } from './operations.ts';
import { Roles } from './roles.tsx';

/** What the definition has besides what the text says. */
function furtherOf({ definition }: { readonly definition: JsonObject }): JsonObject {
  const { arguments: _, output_type: __, type: ___, ...further } = definition;
  return further;
}

export function ActionForm({
  state,
  definition,
  action,
  roles,
}: {
  readonly state: Pick<ConsoleState, 'mode'>;
  readonly definition: string;
  /** Absent: a new one. */
  readonly action?: ActionEntry;
  readonly roles: readonly string[];
}) {
  const [text, setText] = useState(definition);
  const former = (action?.permissions ?? []).map(({ role }) => role);
  const [chosen, setChosen] = useState<readonly string[]>(former);
  const value: JsonObject = action
    ? { definition: furtherOf(action), ...(action.comment !== undefined && { comment: action.comment }) }
    : { definition: { handler: '' } };
  return (
    <EntryEditor
      state={state}
      label="How it is called, as JSON"
      value={value}
      text={JSON.stringify([text, [...chosen].sort()])}
      isNew={action === undefined}
      change={async (entry) => putAction(action, await readDefinition(action?.name, text), entry, chosen)}
    >
      {(fields) => (
        <>
          <label className="stacked">
            Definition in GraphQL
            <textarea
              rows={text.split('\n').length + 1}
              value={text}
              spellCheck={false}
              readOnly={fields.isReadOnly}
              onChange={({ target }) => setText(target.value)}
            />
          </label>
          <Called {...within(fields, 'definition')} />
          <Roles all={roles} chosen={chosen} change={setChosen} isReadOnly={fields.isReadOnly} />
        </>
      )}
    </EntryEditor>
  );
}

/** @throws Error where the text means no action */
async function readDefinition(name: string | undefined, text: string): Promise<ReadAction> {
  const show = { page: 'action', text, ...(name !== undefined && { name }) } as const;
  const { read } = (await propose<ActionAnswer>(show)).shown;
  if (!read || 'problem' in read) throw new Error(read?.problem ?? 'the definition was not read');
  return read;
}

function Called(fields: FieldsProps) {
  const { entry, patch, isReadOnly } = fields;
  return (
    <>
      <KeyField
        label="Handler"
        name="handler"
        placeholder="https://example.org/actions or {{HANDLER_URL}}/path"
        {...fields}
      />
      <div className="pair">
        <label className="stacked">
          A mutation
          <select
            value={entry.kind === 'asynchronous' ? 'asynchronous' : 'synchronous'}
            disabled={isReadOnly}
            onChange={({ target }) => patch({ kind: target.value })}
          >
            <option value="synchronous">waits for the handler</option>
            <option value="asynchronous">answers with an id at once</option>
          </select>
        </label>
        <NumberField label="Seconds for a call" name="timeout" placeholder="30" {...fields} />
      </div>
      <FlagField label="pass the client's headers on" name="forward_client_headers" {...fields} />
    </>
  );
}
