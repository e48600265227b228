/** Comparisons of a column in a rule, and what the parts of the builder share. */
import { createContext, useContext, useId, useState } from 'react';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import { jsonText } from '../../../core/json/json-value.ts';
import type { TableAnswer, TableColumn } from '../../proposal-questions.ts';
import { named } from '../api.ts';
import { readValue, valueText } from './values.ts';

/** What the builder needs of tables, however deep it is. */
interface Surroundings {
  readonly source: string;
  readonly isReadOnly: boolean;
  /** Id of the list of session variables. */
  readonly variables: string;
}

export const Around = createContext<Surroundings>({ source: '', isReadOnly: true, variables: '' });

export interface ConditionProps {
  readonly table: TableAnswer;
  readonly name: string;
  readonly value: Json;
  /** Undefined removes it. */
  readonly change: (value: Json | undefined) => void;
}

export function Remove({ name, change }: Pick<ConditionProps, 'name' | 'change'>) {
  const { isReadOnly } = useContext(Around);
  if (isReadOnly) return null;
  return (
    <button
      type="button"
      className="remove"
      aria-label={`Remove the condition ${name}`}
      onClick={() => change(undefined)}
    >
      ×
    </button>
  );
}

export function Comparisons({
  name,
  value,
  change,
  column,
  table,
}: ConditionProps & { readonly column: TableColumn; readonly value: JsonObject }) {
  const { isReadOnly, variables } = useContext(Around);
  const entries = Object.entries(value);
  const columns = useId();
  const replace = (operator: string, next: string, item: Json) =>
    change(Object.fromEntries(entries.map(([key, old]) => (key === operator ? [next, item] : [key, old]))));
  return (
    <div className="comparison">
      <datalist id={columns}>
        {table.columns.map((each) => (
          <option key={each.name} value={each.name} />
        ))}
      </datalist>
      <code>{name}</code>
      {entries.map(([operator, operand]) => {
        const known = column.operators.find((each) => each.name === operator);
        const kind = known?.operand ?? 'value';
        return (
          <span className="pair" key={operator}>
            <select
              aria-label={`Operator of ${name}`}
              value={operator}
              disabled={isReadOnly}
              onChange={({ target }) => {
                const isBoolean =
                  column.operators.find((each) => each.name === target.value)?.operand === 'boolean';
                replace(
                  operator,
                  target.value,
                  isBoolean ? false : typeof operand === 'boolean' && kind === 'boolean' ? '' : operand,
                );
              }}
            >
              {!known && <option value={operator}>{operator}</option>}
              {column.operators
                .filter((each) => each.name === operator || !Object.hasOwn(value, each.name))
                .map((each) => (
                  <option key={each.name} value={each.name}>
                    {each.name.replace(/^_/, '')}
                  </option>
                ))}
            </select>
            {kind === 'boolean' && typeof operand === 'boolean' ? (
              <select
                aria-label={`Value of ${name}`}
                value={String(operand)}
                disabled={isReadOnly}
                onChange={({ target }) => replace(operator, operator, target.value === 'true')}
              >
                <option value="true">yes</option>
                <option value="false">no</option>
              </select>
            ) : (
              <ValueField
                label={`Value of ${name}`}
                value={operand}
                list={kind === 'column' ? columns : variables}
                isReadOnly={isReadOnly}
                read={(text) => readValue(text, column.input, kind)}
                change={(next) => replace(operator, operator, next)}
              />
            )}
          </span>
        );
      })}
      <Remove name={name} change={change} />
    </div>
  );
}

/** A field that keeps what was typed, while the value that it means is passed on. */
export function ValueField({
  label,
  value,
  list,
  isReadOnly,
  read,
  change,
}: {
  readonly label: string;
  readonly value: Json;
  readonly list: string;
  readonly isReadOnly: boolean;
  readonly read: (text: string) => Json;
  readonly change: (value: Json) => void;
}) {
  const [typed, setTyped] = useState<string>();
  const isTyped = typed !== undefined && jsonText(read(typed)) === jsonText(value);
  return (
    <input
      aria-label={label}
      placeholder={`value or ${named('user-id')}`}
      list={list}
      value={isTyped ? typed : valueText(value)}
      readOnly={isReadOnly}
      onChange={({ target }) => {
        setTyped(target.value);
        change(read(target.value));
      }}
    />
  );
}
