/** The form of an event trigger: which writes of a table it tells whom. */
import { useState } from 'react';
import { jsonText } from '../../../core/json/json-value.ts';
import type { TableAnswer } from '../../proposal-questions.ts';
import type { ConsoleState } from '../../questions.ts';
import type { NamedEntry, SourceTable } from '../../services-questions.ts';
import { CheckField } from '../inputs.tsx';
import { useProposal } from '../model/draft.ts';
import { nameOf } from '../model/operations.ts';
import { EntryEditor } from './entry.tsx';
import { AddressField, type FieldsProps, FlagField, KeyField, NumberField, within } from './fields.tsx';
import { putTrigger } from './operations.ts';

const WRITES = ['insert', 'update', 'delete'] as const;

export function TriggerForm({
  state,
  tables,
  of,
}: {
  readonly state: Pick<ConsoleState, 'mode'>;
  /** Tables that a new one may belong to. */
  readonly tables: readonly SourceTable[];
  /** Absent: a new one. */
  readonly of?: { readonly table: SourceTable; readonly trigger: NamedEntry };
}) {
  const [index, setIndex] = useState(0);
  const table = of?.table ?? tables[index];
  if (!table) return <p className="quiet">Track a table first: an event trigger belongs to one.</p>;
  return (
    <EntryEditor
      state={state}
      label="The event trigger as JSON"
      value={of?.trigger ?? { name: '', definition: { insert: { columns: '*' } }, webhook: '' }}
      text={jsonText([table.source, table.schema, table.name])}
      isNew={of === undefined}
      change={(entry) => putTrigger(table, entry, of === undefined)}
    >
      {(fields) => (
        <>
          {of === undefined && (
            <label className="stacked">
              Table
              <select value={index} onChange={({ target }) => setIndex(Number(target.value))}>
                {tables.map((each, position) => (
                  <option key={`${each.source} ${each.schema}.${each.name}`} value={position}>
                    {nameOf(each)} {each.source === 'default' ? '' : `(${each.source})`}
                  </option>
                ))}
              </select>
            </label>
          )}
          <Fields isNew={of === undefined} table={table} {...fields} />
        </>
      )}
    </EntryEditor>
  );
}

function Fields({
  isNew,
  table,
  ...fields
}: FieldsProps & { readonly isNew: boolean; readonly table: SourceTable }) {
  const { isReadOnly } = fields;
  const definition = within(fields, 'definition');
  const retries = within(fields, 'retry_conf', RETRIES);
  return (
    <>
      <KeyField label="Name" name="name" {...fields} isReadOnly={isReadOnly || !isNew} />
      <fieldset>
        <legend>Calls the webhook for</legend>
        <div className="checks">
          {WRITES.map((write) => (
            <CheckField
              key={write}
              label={`${write === 'insert' ? 'inserted' : `${write}d`} rows`}
              value={definition.entry[write] !== undefined}
              isReadOnly={isReadOnly}
              change={(is) => definition.patch({ [write]: is ? { columns: '*' } : undefined })}
            />
          ))}
          <FlagField label="a row that is sent by hand" name="enable_manual" {...definition} />
        </div>
        {definition.entry.update !== undefined && (
          <UpdateColumns table={table} {...within(definition, 'update')} />
        )}
      </fieldset>
      <AddressField label="Webhook" keys={['webhook', 'webhook_from_env']} {...fields} />
      <div className="pair">
        <NumberField label="Attempts after the first one" name="num_retries" placeholder="0" {...retries} />
        <NumberField label="Seconds between attempts" name="interval_sec" placeholder="10" {...retries} />
      </div>
    </>
  );
}

/** Keys that the metadata requires, with their defaults. */
const RETRIES = { num_retries: 0, interval_sec: 10 };

/** Columns whose change counts. */
function UpdateColumns({
  table: { source, schema, name },
  entry: update,
  patch,
  isReadOnly,
}: FieldsProps & { readonly table: SourceTable }) {
  const { value } = useProposal<TableAnswer | null>({ page: 'table', source, table: { schema, name } });
  const columns = value?.shown?.columns.map((column) => column.name) ?? [];
  const chosen = Array.isArray(update.columns) ? (update.columns as readonly string[]) : columns;
  const choose = (column: string, is: boolean) => {
    const next = columns.filter((each) => (each === column ? is : chosen.includes(each)));
    patch({ columns: next.length === columns.length ? '*' : next });
  };
  return (
    <>
      <h4>of updates: where one of these columns changes</h4>
      <div className="checks">
        {columns.map((column) => (
          <CheckField
            key={column}
            label={column}
            value={chosen.includes(column)}
            isReadOnly={isReadOnly}
            change={(is) => choose(column, is)}
          />
        ))}
      </div>
    </>
  );
}
