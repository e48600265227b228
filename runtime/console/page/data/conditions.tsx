/** Form for the conditions and the order of a table, by the operators of the API. */
import { type FormEvent, type ReactNode, useState } from 'react';
import type { TableApi } from '../../data-questions.ts';
import { Problem } from '../parts.tsx';
import { type Asked, type Line, whereOf } from './request.ts';

interface ConditionsProps {
  readonly api: TableApi;
  /** In the address. What is typed replaces it when rows are asked for. */
  readonly asked: Asked;
  readonly show: (asked: Asked) => void;
  /** Further buttons. */
  readonly children: ReactNode;
}

export function Conditions({ api, asked, show, children }: ConditionsProps) {
  const [draft, setDraft] = useState(asked);
  const [hasText, setHasText] = useState(asked.text !== '');
  const [problem, setProblem] = useState<Error>();
  const columns = api.columns.filter(({ condition }) => condition !== undefined);
  const { lines, text, order } = draft;
  const change = (index: number, line: Line | undefined) =>
    setDraft({ ...draft, lines: lines.flatMap((each, at) => (at === index ? (line ?? []) : [each])) });
  const add = () => {
    const [first] = columns;
    if (first)
      setDraft({ ...draft, lines: [...lines, { column: first.field, operator: api.words._eq, value: '' }] });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    try {
      whereOf(api, draft);
      setProblem(undefined);
      show(draft);
    } catch (error) {
      setProblem(error as Error);
    }
  };
  const orderBy = (column: string, descending: boolean) => {
    const { order: _, ...others } = draft;
    setDraft(column === '' ? others : { ...others, order: { column, descending } });
  };
  return (
    <form className="conditions" onSubmit={submit} aria-label="Conditions">
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
        <LineFields key={index} api={api} line={line} change={(next) => change(index, next)} />
      ))}
      {hasText && (
        <label className="where">
          Condition as JSON, by any operator and relationship
          <textarea
            rows={2}
            value={text}
            spellCheck={false}
            placeholder={'{"_or": [{"name": {"_ilike": "a%"}}, {"id": {"_lt": 10}}]}'}
            onChange={({ target }) => setDraft({ ...draft, text: target.value })}
          />
        </label>
      )}
      <div className="buttons">
        <button type="submit" className="main">
          Show rows
        </button>
        <button type="button" onClick={add} disabled={columns.length === 0}>
          + Condition
        </button>
        {!hasText && (
          <button type="button" onClick={() => setHasText(true)}>
            + JSON
          </button>
        )}
        <label>
          Order{' '}
          <select
            value={order?.column ?? ''}
            onChange={({ target }) => orderBy(target.value, order?.descending ?? false)}
          >
            <option value="">{api.key.length > 0 ? 'by the key' : 'none'}</option>
            {columns.map(({ field }) => (
              <option key={field}>{field}</option>
            ))}
          </select>
        </label>
        {order && (
          <select
            aria-label="Direction"
            value={String(order.descending)}
            onChange={({ target }) => orderBy(order.column, target.value === 'true')}
          >
            <option value="false">ascending</option>
            <option value="true">descending</option>
          </select>
        )}
        {children}
      </div>
      {problem && <Problem error={problem} />}
    </form>
  );
}

function LineFields({
  api: { columns, operators },
  line: { column, operator, value },
  change,
}: {
  readonly api: TableApi;
  readonly line: Line;
  readonly change: (line: Line | undefined) => void;
}) {
  const offered = (field: string) =>
    operators[columns.find((each) => each.field === field)?.condition ?? ''] ?? [];
  const type = offered(column).find(({ name }) => name === operator)?.type ?? 'String';
  const choose = (next: string) => {
    const names = offered(next).map(({ name }) => name);
    change({ column: next, operator: names.includes(operator) ? operator : (names[0] ?? ''), value });
  };
  return (
    <div className="condition">
      <select aria-label="Column" value={column} onChange={({ target }) => choose(target.value)}>
        {columns
          .filter(({ condition }) => condition !== undefined)
          .map(({ field }) => (
            <option key={field}>{field}</option>
          ))}
      </select>
      <select
        aria-label="Operator"
        value={operator}
        onChange={({ target }) => change({ column, operator: target.value, value })}
      >
        {offered(column).map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      {type === 'Boolean' ? (
        <select
          aria-label="Value"
          value={value}
          onChange={({ target }) => change({ column, operator, value: target.value })}
        >
          {['', 'true', 'false'].map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      ) : (
        <input
          aria-label="Value"
          placeholder={type}
          value={value}
          onChange={({ target }) => change({ column, operator, value: target.value })}
        />
      )}
      <button type="button" aria-label="Remove the condition" onClick={() => change(undefined)}>
        ×
      </button>
    </div>
  );
}
