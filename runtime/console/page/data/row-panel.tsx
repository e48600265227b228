/** A row with all its values, where its relationships lead, and what the role may do with it. */
import { useState } from 'react';
import { jsonText } from '../../../core/json/json-value.ts';
import type { TableApi } from '../../data-questions.ts';
import type { AccessAnswer, ConsoleState } from '../../questions.ts';
import { ActionButton } from '../parts.tsx';
import { ask, type ShownRow } from './answers.ts';
import { Failure } from './failure.tsx';
import { linkOf } from './links.ts';
import { dataAddress, goTo } from './place.ts';
import { deleteRequest, type Row } from './request.ts';
import { lookOf } from './rows.tsx';
import { requireRow } from './writing.ts';

interface RowPanelProps {
  readonly api: TableApi;
  readonly state: ConsoleState;
  readonly role: string;
  readonly access: AccessAnswer | undefined;
  readonly table: string;
  readonly row: ShownRow;
  readonly edit: () => void;
  /** It was deleted. */
  readonly gone: () => void;
}

export function RowPanel({ api, state, role, access, table, row, edit, gone }: RowPanelProps) {
  const [error, setError] = useState<Error>();
  const remove = async () => {
    setError(undefined);
    try {
      const request = deleteRequest(api, row.values);
      requireRow(await ask(request), { api, request, role, operation: 'delete' });
      gone();
    } catch (thrown) {
      setError(thrown as Error);
      throw new Error('refused');
    }
  };
  const withheld = (['update', 'delete'] as const).filter((operation) => !api[operation]);
  return (
    <>
      <h2>
        {table} <em>{keyText(api, row.values)}</em>
      </h2>
      {state.mode === 'write' && (
        <p className="buttons">
          {api.key.length > 0 && api.update && (
            <button type="button" onClick={edit}>
              Edit
            </button>
          )}
          {api.key.length > 0 && api.delete && (
            <ActionButton state={state} run={remove} confirm={`Delete this row as ${role}?`}>
              Delete
            </ActionButton>
          )}
        </p>
      )}
      {state.mode === 'write' && api.key.length === 0 && (
        <p className="quiet">{role} sees no key by which this row could be changed.</p>
      )}
      {state.mode === 'write' && withheld.length > 0 && (
        <p className="quiet">
          {role} has no root field to {withheld.join(' or to ')} rows.
        </p>
      )}
      {error && <Failure error={error} role={role} access={access} />}
      <dl className="values">
        {api.columns.map((column) => {
          const { text, look, title } = lookOf(row, { column });
          const value = row.values[column.field];
          const isShown = look !== 'masked' && look !== 'none';
          return (
            <div key={column.field}>
              <dt>
                {column.field} <small>{column.type}</small>
              </dt>
              <dd className={look} title={isShown ? undefined : title}>
                {isShown ? fullText(value) : text}
                {look === 'masked' && <small> {title}</small>}
              </dd>
            </div>
          );
        })}
        {api.relationships.map((relationship) => {
          const link = linkOf(relationship, row.values);
          return (
            <div key={relationship.field}>
              <dt>
                {relationship.field} <small>{relationship.kind} relationship</small>
              </dt>
              <dd>
                {link ? (
                  <a
                    href={dataAddress(link)}
                    onClick={(event) => {
                      event.preventDefault();
                      goTo(link);
                    }}
                  >
                    {relationship.kind === 'object' ? 'row' : 'rows'} of {relationship.table}
                  </a>
                ) : (
                  <span className="none">{lookOf(row, { relationship }).title}</span>
                )}
              </dd>
            </div>
          );
        })}
      </dl>
    </>
  );
}

function keyText({ key }: TableApi, row: Row): string {
  return key.map((field) => `${field} ${fullText(row[field])}`).join(', ');
}

function fullText(value: unknown): string {
  return typeof value === 'string' ? value : jsonText(value, '  ');
}
