/**
 * Builds a rule, a boolean expression of the metadata, condition by condition. It shows and changes the expression itself: parts
 * without fields are shown as JSON and stay unchanged, so that the rule and its text always agree.
 */
import { type ReactNode, useContext, useId, useState } from 'react';
import { isObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { jsonText } from '../../../core/json/json-value.ts';
import type { QualifiedName } from '../../../core/names.ts';
import type { TableAnswer } from '../../proposal-questions.ts';
import { useLoaded } from '../api.ts';
import { propose } from '../model/draft.ts';
import { Around, Comparisons, type ConditionProps, Remove } from './comparisons.tsx';
import { valueText } from './values.ts';

export function RuleBuilder({
  table,
  value,
  change,
  isReadOnly,
}: {
  readonly table: TableAnswer;
  readonly value: JsonObject;
  readonly change: (value: JsonObject) => void;
  readonly isReadOnly: boolean;
}) {
  const variables = useId();
  return (
    <Around value={{ source: table.source, isReadOnly, variables }}>
      <datalist id={variables}>
        {table.variables.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Conditions table={table} value={value} change={change} />
    </Around>
  );
}

interface ConditionsProps {
  readonly table: TableAnswer;
  readonly value: JsonObject;
  readonly change: (value: JsonObject) => void;
}

/** An object of the expression: all of its conditions have to hold. */
function Conditions({ table, value, change }: ConditionsProps) {
  const entries = Object.entries(value);
  const replace = (key: string, item: Json | undefined, nextKey = key) =>
    change(
      Object.fromEntries(
        entries.flatMap(([name, old]) =>
          name !== key ? [[name, old]] : item === undefined ? [] : [[nextKey, item]],
        ),
      ),
    );
  const add = (key: string, item: Json) =>
    // An object has each key once.
    change(Object.hasOwn(value, key) ? { _and: [value, { [key]: item }] } : { ...value, [key]: item });
  return (
    <div className="rule-parts">
      {entries.length === 0 && <span className="quiet">every row</span>}
      {entries.map(([key, item]) => (
        <Condition key={key} table={table} name={key} value={item} change={(next) => replace(key, next)} />
      ))}
      <AddCondition table={table} add={add} />
    </div>
  );
}

function AddCondition({
  table,
  add,
}: {
  readonly table: TableAnswer;
  readonly add: (key: string, value: Json) => void;
}) {
  const { isReadOnly } = useContext(Around);
  if (isReadOnly) return null;
  const choose = (chosen: string) => {
    const [kind, name = ''] = [chosen.slice(0, chosen.indexOf(' ')), chosen.slice(chosen.indexOf(' ') + 1)];
    if (kind === 'column') {
      const column = table.columns.find((each) => each.name === name);
      const [first] = column?.operators ?? [];
      add(name, { [first?.name ?? '_is_null']: first?.operand === 'boolean' ? false : '' });
    } else if (kind === 'relationship') add(name, {});
    else if (kind === 'group') add(name, name === '_not' ? {} : [{}]);
    else if (kind === 'exists')
      add('_exists', { _table: { schema: table.table.schema, name: table.table.name }, _where: {} });
  };
  return (
    <select
      className="add"
      aria-label={`Add a condition on ${table.table.name}`}
      value=""
      onChange={({ target }) => choose(target.value)}
    >
      <option value="">+ condition</option>
      <optgroup label="Columns">
        {table.columns.map(({ name, type }) => (
          <option key={name} value={`column ${name}`}>
            {name} ({type})
          </option>
        ))}
      </optgroup>
      {table.relationships.length > 0 && (
        <optgroup label="Relationships: a related row satisfies">
          {table.relationships.map(({ name }) => (
            <option key={name} value={`relationship ${name}`}>
              {name}
            </option>
          ))}
        </optgroup>
      )}
      <optgroup label="Groups">
        <option value="group _or">any of (_or)</option>
        <option value="group _and">all of (_and)</option>
        <option value="group _not">not (_not)</option>
        <option value="exists _exists">a row of some table exists (_exists)</option>
      </optgroup>
    </select>
  );
}

const GROUPS: Readonly<Record<string, string>> = {
  _and: 'all of',
  _or: 'any of',
  $and: 'all of',
  $or: 'any of',
};

function Condition(props: ConditionProps) {
  const { table, name, value, change } = props;
  const column = table.columns.find((each) => each.name === name);
  const relationship = table.relationships.find((each) => each.name === name);
  if (Object.hasOwn(GROUPS, name) && Array.isArray(value)) return <Group {...props} list={value} />;
  if ((name === '_not' || name === '$not') && isObject(value))
    return (
      <Nested title="not" {...props}>
        <Conditions table={table} value={value} change={change} />
      </Nested>
    );
  if (name === '_exists' && isObject(value)) return <Exists {...props} value={value} />;
  if (column && isObject(value)) return <Comparisons {...props} column={column} value={value} />;
  if (relationship?.to && isObject(value))
    return (
      <Nested
        title={relationship.type === 'object' ? `${name} satisfies` : `some ${name} satisfies`}
        {...props}
      >
        <OfTable table={relationship.to} value={value} change={change} />
      </Nested>
    );
  return (
    <Nested title={name} {...props}>
      <code>{jsonText(value)}</code> <small>as JSON below</small>
    </Nested>
  );
}

function Nested({
  title,
  name,
  change,
  children,
}: Pick<ConditionProps, 'name' | 'change'> & { readonly title: string; readonly children: ReactNode }) {
  return (
    <fieldset className="rule-part">
      <legend>
        {title} <Remove name={name} change={change} />
      </legend>
      {children}
    </fieldset>
  );
}

function Group({ table, name, change, list }: ConditionProps & { readonly list: readonly Json[] }) {
  const { isReadOnly } = useContext(Around);
  const replace = (index: number, item: Json) =>
    change(list.map((old, position) => (position === index ? item : old)));
  return (
    <Nested title={GROUPS[name]!} name={name} change={change}>
      {list.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no identity but their place
        <div className="branch" key={index}>
          {isObject(item) ? (
            <Conditions table={table} value={item} change={(next) => replace(index, next)} />
          ) : (
            <code>{jsonText(item)}</code>
          )}
          {!isReadOnly && list.length > 1 && (
            <button
              type="button"
              className="remove"
              aria-label={`Remove branch ${index + 1} of ${GROUPS[name]}`}
              onClick={() => change(list.filter((_, position) => position !== index))}
            >
              ×
            </button>
          )}
        </div>
      ))}
      {!isReadOnly && (
        <button type="button" onClick={() => change([...list, {}])}>
          + branch
        </button>
      )}
    </Nested>
  );
}

/** Conditions on another table, which is read when it is shown. */
function OfTable({
  table,
  value,
  change,
}: {
  readonly table: QualifiedName;
  readonly value: JsonObject;
  readonly change: (value: JsonObject) => void;
}) {
  const { source } = useContext(Around);
  const { value: answer, error } = useLoaded(JSON.stringify([source, table]), () =>
    propose<TableAnswer | null>({ page: 'table', source, table }),
  );
  if (error) return <span className="problem">{error.message}</span>;
  if (!answer) return <span className="quiet">…</span>;
  if (!answer.shown?.isTracked) return <span className="problem">{table.name} is not tracked</span>;
  return <Conditions table={answer.shown} value={value} change={change} />;
}

function Exists({ name, value, change }: Omit<ConditionProps, 'value'> & { readonly value: JsonObject }) {
  const { isReadOnly } = useContext(Around);
  const { _table: given, _where: where = {} } = value;
  const named: JsonObject = isObject(given) ? given : { name: given ?? '' };
  const table = { schema: valueText(named.schema ?? 'public'), name: valueText(named.name) };
  const [text, setText] = useState(table.name);
  return (
    <Nested title="a row exists of" name={name} change={change}>
      <input
        aria-label="Table of the rows"
        value={text}
        readOnly={isReadOnly}
        onChange={({ target }) => setText(target.value)}
        onBlur={() =>
          text !== table.name && change({ _table: { schema: table.schema, name: text }, _where: {} })
        }
      />{' '}
      that satisfies
      {isObject(where) && (
        <OfTable table={table} value={where} change={(next) => change({ ...value, _where: next })} />
      )}
    </Nested>
  );
}
