/** A form for a row: a new one, or one that is changed. It sends what was filled in, and nothing else. */
import { type FormEvent, useState } from 'react';
import type { ApiInput, TableApi } from '../../data-questions.ts';
import type { AccessAnswer } from '../../questions.ts';
import { ask, type ShownRow } from './answers.ts';
import { Failure } from './failure.tsx';
import { insertRequest, type Row, updateRequest } from './request.ts';
import { textOf, valueFrom } from './values.ts';
import { requireRow } from './writing.ts';

/** What is in a field; absent: it was not touched. */
interface Typed {
  readonly text: string;
  readonly isNull: boolean;
}

interface RowFormProps {
  readonly api: TableApi;
  readonly role: string;
  readonly access: AccessAnswer | undefined;
  readonly table: string;
  /** Absent for a new one. */
  readonly row?: ShownRow;
  /** @param key of the row after the change */
  readonly done: (key: Row) => Promise<void>;
}

export function RowForm({ api, role, access, table, row, done }: RowFormProps) {
  const operation = row ? 'update' : 'insert';
  const { columns } = api[operation]!;
  const [typed, setTyped] = useState<Readonly<Record<string, Typed>>>({});
  const [error, setError] = useState<Error>();
  const [isSending, setSending] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isSending) return;
    setError(undefined);
    setSending(true);
    try {
      const values = valuesOf(columns, typed);
      if (row && Object.keys(values).length === 0) throw new Error('Nothing was changed.');
      const request = row ? updateRequest(api, row.values, values) : insertRequest(api, values);
      requireRow(await ask(request), { api, request, role, operation });
      await done({ ...row?.values, ...values });
    } catch (thrown) {
      setError(thrown as Error);
      setSending(false);
    }
  };
  return (
    <form className="row-form" onSubmit={submit}>
      <h2>
        {row ? 'Edit' : 'Insert'}{' '}
        <em>
          {table} as {role}
        </em>
      </h2>
      {columns.length === 0 && (
        <p className="quiet">{role} may give no column: the row gets presets and defaults.</p>
      )}
      {columns.map((column) => (
        <Field
          key={column.field}
          column={column}
          row={row}
          typed={typed[column.field]}
          change={(next) => {
            const { [column.field]: _, ...others } = typed;
            setTyped(next ? { ...others, [column.field]: next } : others);
          }}
        />
      ))}
      <p className="buttons">
        <button type="submit" className="main" aria-disabled={isSending}>
          {row ? 'Save' : 'Insert'}
        </button>
        <small>
          {row ? 'Only what was changed is sent.' : 'Fields that stay untouched get their default.'}
        </small>
      </p>
      {error && <Failure error={error} role={role} access={access} />}
    </form>
  );
}

/** @throws Error that names the field */
function valuesOf(columns: readonly ApiInput[], typed: Readonly<Record<string, Typed>>): Row {
  return Object.fromEntries(
    columns.flatMap(({ field, type }) => {
      const given = typed[field];
      if (!given) return [];
      if (given.isNull) return [[field, null]];
      try {
        return [[field, valueFrom(given.text, type)]];
      } catch (error) {
        throw new Error(`${field}: ${(error as Error).message}`);
      }
    }),
  );
}

interface FieldProps {
  readonly column: ApiInput;
  readonly row: ShownRow | undefined;
  readonly typed: Typed | undefined;
  /** Undefined: as if it had not been touched. */
  readonly change: (typed: Typed | undefined) => void;
}

function Field({ column: { field, type, isRequired, values }, row, typed, change }: FieldProps) {
  const known = row !== undefined && Object.hasOwn(row.values, field);
  const isMasked = row?.masked.includes(field) || row?.unclear.includes(field);
  const before = known ? row.values[field] : undefined;
  const text = typed?.text ?? textOf(before, type);
  const isNull = typed?.isNull ?? (known && before === null && !isMasked);
  const write = (next: string) => change({ text: next, isNull: false });
  const placeholder = isNull ? 'null' : isMasked ? 'masked' : row && !known ? 'not visible' : '';
  const choices = values ?? (type === 'Boolean' ? ['true', 'false'] : undefined);
  const isLong = text.length > 60 || text.includes('\n') || type === 'jsonb' || type === 'json';
  const id = `field-${field}`;
  return (
    <div className={typed ? 'field touched' : 'field'}>
      <label htmlFor={id}>
        {field}{' '}
        <small>
          {type}
          {!row && isRequired && ', required'}
        </small>
      </label>
      {choices ? (
        <select id={id} value={isNull ? '' : text} onChange={({ target }) => write(target.value)}>
          {['', ...choices].map((each) => (
            <option key={each} value={each}>
              {each === '' ? placeholder : each}
            </option>
          ))}
        </select>
      ) : isLong ? (
        <textarea
          id={id}
          rows={4}
          value={isNull ? '' : text}
          placeholder={placeholder}
          onChange={({ target }) => write(target.value)}
        />
      ) : (
        <input
          id={id}
          value={isNull ? '' : text}
          placeholder={placeholder}
          onChange={({ target }) => write(target.value)}
        />
      )}
      <span className="buttons">
        <label>
          <input
            type="checkbox"
            checked={isNull}
            onChange={({ target }) => change({ text: '', isNull: target.checked })}
          />{' '}
          null
        </label>
        {typed && (
          <button type="button" onClick={() => change(undefined)}>
            Undo
          </button>
        )}
      </span>
    </div>
  );
}
