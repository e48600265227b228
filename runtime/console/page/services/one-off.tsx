/** One-off events: the form of a new one, and what there is of them. */
import { useState } from 'react';
import type { JsonObject } from '../../../core/json/json.ts';
import type { ConsoleState } from '../../questions.ts';
import { post } from '../api.ts';
import { JsonText } from '../json-text.tsx';
import { ActionButton } from '../parts.tsx';
import { type FieldsProps, KeyField, NumberField, patched, within } from './fields.tsx';

const NEW: JsonObject = { webhook: '', schedule_at: '', payload: {} };

/** @param made is called when there is a new event */
export function OneOffForm({
  state,
  made,
}: {
  readonly state: Pick<ConsoleState, 'mode'>;
  readonly made: () => void;
}) {
  const [entry, setEntry] = useState(NEW);
  const [isValid, setValid] = useState(true);
  const fields: FieldsProps = {
    entry,
    isReadOnly: false,
    patch: (part) => setEntry(patched(entry, part)),
  };
  const schedule = async () => {
    if (!isValid) throw new Error('The event is not JSON yet.');
    if (entry.schedule_at === '') throw new Error('Choose a time.');
    await post('/v1/metadata', { type: 'create_scheduled_event', args: entry });
    setEntry(NEW);
    made();
  };
  return (
    <div className="editor">
      <div className="fields">
        <KeyField
          label="Webhook"
          name="webhook"
          placeholder="https://example.org/hook or {{HOOK_URL}}"
          {...fields}
        />
        <label className="stacked">
          Time, by the clock of this browser
          <input
            type="datetime-local"
            step={1}
            value={localTime(String(entry.schedule_at ?? ''))}
            onChange={({ target }) =>
              fields.patch({
                schedule_at: target.value === '' ? '' : new Date(target.value).toISOString(),
              })
            }
          />
        </label>
        <KeyField isOptional label="Comment" name="comment" {...fields} />
        <NumberField
          label="Attempts after the first one"
          name="num_retries"
          placeholder="0"
          {...within(fields, 'retry_conf')}
        />
      </div>
      <div>
        <JsonText
          label="The event as JSON"
          value={entry}
          change={setEntry}
          valid={setValid}
          isReadOnly={false}
        />
        <p className="pair">
          <ActionButton state={state} run={schedule}>
            Schedule it
          </ActionButton>
          <span className="quiet">At once: events are not part of the metadata. A past time means now.</span>
        </p>
      </div>
    </div>
  );
}

/** `2030-01-31T09:30:00` by the clock of the browser; empty for a text that is not a time. */
function localTime(text: string): string {
  const time = new Date(text);
  if (text === '' || Number.isNaN(time.getTime())) return '';
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}
