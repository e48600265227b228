/** A try of an event trigger with a row. */
import { useState } from 'react';
import type { JsonObject } from '../../../core/json/json.ts';
import { jsonText } from '../../../core/json/json-value.ts';
import type { ConsoleState } from '../../questions.ts';
import type { NamedEntry, SourceTable } from '../../services-questions.ts';
import { post } from '../api.ts';
import { readObject } from '../json-object.ts';
import { Make } from '../model/make.tsx';
import { ActionButton, Problem } from '../parts.tsx';
import { inner } from './fields.tsx';
import { putTrigger } from './operations.ts';

/** Sends a row through the trigger, as if somebody had written it. */
export function TryTrigger({
  state,
  table,
  trigger,
  sent,
}: {
  readonly state: Pick<ConsoleState, 'mode'>;
  readonly table: SourceTable;
  readonly trigger: NamedEntry;
  readonly sent: () => void;
}) {
  const [row, setRow] = useState('{}');
  const [error, setError] = useState<Error>();
  const { source, schema, name } = table;
  if (state.mode === 'read') return null;
  const definition = inner(trigger, 'definition');
  if (definition.enable_manual !== true)
    return (
      <p className="pair">
        <span className="quiet">A row can be sent by hand to triggers that allow it.</span>
        <Make
          change={putTrigger(
            table,
            { ...trigger, definition: { ...definition, enable_manual: true } },
            false,
          )}
        >
          Allow it
        </Make>
      </p>
    );
  const take = () =>
    post<readonly JsonObject[]>('/v2/query', {
      type: 'select',
      args: { source, table: { schema, name }, columns: ['*'], limit: 1 },
    }).then(([first]) => {
      setError(first ? undefined : new Error('The table has no row: write one.'));
      if (first) setRow(jsonText(first, '  '));
    }, setError);
  const send = async () => {
    const payload = readObject(row, 'The row', '{"id": 1}');
    await post('/v1/metadata', {
      type: 'pg_invoke_event_trigger',
      args: { source, name: trigger.name, payload },
    });
    sent();
  };
  return (
    <section className="card" aria-label="Try it">
      <h2>
        Try it <small>sends the row to the webhook, as op MANUAL; no row is written</small>
      </h2>
      <label className="stacked">
        Row
        <textarea
          rows={Math.min(12, row.split('\n').length + 1)}
          value={row}
          spellCheck={false}
          onChange={({ target }) => setRow(target.value)}
        />
      </label>
      <p className="pair">
        <button type="button" onClick={take}>
          Take a row of the table
        </button>
        <ActionButton state={state} run={send}>
          Send
        </ActionButton>
      </p>
      {error && <Problem error={error} />}
    </section>
  );
}
