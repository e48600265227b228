/** Fields of a permission: columns, rules, presets, limit and what else it may allow. */
import { useId } from 'react';
import { isObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import type { PermissionOperation, TableAnswer } from '../../proposal-questions.ts';
import { CheckField } from '../inputs.tsx';
import { ValueField } from './comparisons.tsx';
import { RuleBuilder } from './rule.tsx';
import { readValue } from './values.ts';

interface FieldsProps {
  readonly table: TableAnswer;
  readonly operation: PermissionOperation;
  readonly permission: JsonObject;
  readonly change: (permission: JsonObject) => void;
  readonly isReadOnly: boolean;
}

const RULES: Readonly<
  Record<PermissionOperation, readonly (readonly [key: 'filter' | 'check', title: string])[]>
> = {
  select: [['filter', 'Rows that it sees']],
  insert: [['check', 'What new rows have to satisfy']],
  update: [
    ['filter', 'Rows that it may change'],
    ['check', 'What changed rows have to satisfy'],
  ],
  delete: [
    ['filter', 'Rows that it may delete'],
    ['check', 'What these rows have to satisfy, or the delete fails'],
  ],
};

/** Checks that a permission can do without, and what its key is then. */
const OPTIONAL_CHECKS: Readonly<
  Partial<Record<PermissionOperation, { readonly label: string; readonly absent: null | undefined }>>
> = {
  update: { label: 'check rows after the change, too', absent: null },
  delete: { label: 'check rows before they are deleted (extension)', absent: undefined },
};

export function Fields(props: FieldsProps) {
  const { operation, permission, change, isReadOnly, table } = props;
  const set = (key: string, value: Json | undefined) => {
    const { [key]: _, ...others } = permission;
    change(value === undefined ? others : { ...permission, [key]: value });
  };
  return (
    <>
      {operation !== 'delete' && <Columns {...props} set={set} />}
      {RULES[operation].map(([key, title]) => (
        <fieldset key={key}>
          <legend>{title}</legend>
          {OPTIONAL_CHECKS[operation] && key === 'check' && (
            <CheckField
              label={OPTIONAL_CHECKS[operation].label}
              value={isObject(permission.check)}
              isReadOnly={isReadOnly}
              change={(is) =>
                is ? set('check', {}) : change(unchecked(permission, OPTIONAL_CHECKS[operation]!.absent))
              }
            />
          )}
          {(key === 'filter' || isObject(permission.check)) && (
            <RuleBuilder
              table={table}
              value={isObject(permission[key]) ? permission[key] : {}}
              change={(rule) => set(key, rule)}
              isReadOnly={isReadOnly}
            />
          )}
          {key === 'check' && isObject(permission.check) && (
            <label>
              message if not (extension){' '}
              <input
                value={typeof permission.check_message === 'string' ? permission.check_message : ''}
                readOnly={isReadOnly}
                onChange={({ target }) => set('check_message', target.value || undefined)}
              />
            </label>
          )}
        </fieldset>
      ))}
      {(operation === 'insert' || operation === 'update') && <Presets {...props} set={set} />}
      <fieldset>
        <legend>Further</legend>
        {operation === 'select' ? (
          <>
            <Flag name="allow_aggregations" {...props} set={set}>
              aggregates: counts, sums, groups
            </Flag>
            <label>
              at most{' '}
              <input
                className="short"
                inputMode="numeric"
                value={permission.limit === undefined ? '' : String(permission.limit)}
                readOnly={isReadOnly}
                onChange={({ target }) =>
                  set('limit', target.value.trim() === '' ? undefined : readValue(target.value, 'number'))
                }
              />{' '}
              rows in one field
            </label>
          </>
        ) : (
          <Flag name="backend_only" {...props} set={set}>
            for trusted callers only (backend_only)
          </Flag>
        )}
      </fieldset>
    </>
  );
}

function unchecked(
  { check: _, check_message: __, ...rest }: JsonObject,
  absent: null | undefined,
): JsonObject {
  return absent === undefined ? rest : { ...rest, check: absent };
}

interface PartProps extends FieldsProps {
  readonly set: (key: string, value: Json | undefined) => void;
}

function Flag({
  name,
  permission,
  set,
  isReadOnly,
  children,
}: PartProps & { readonly name: string; readonly children: string }) {
  return (
    <p>
      <CheckField
        label={children}
        value={permission[name] === true}
        isReadOnly={isReadOnly}
        change={(is) => set(name, is ? true : undefined)}
      />
    </p>
  );
}

function Columns({ table, operation, permission, set, isReadOnly }: PartProps) {
  const all = table.columns.map(({ name }) => name);
  // Without the key an insert permission has all columns.
  const given = permission.columns ?? '*';
  const chosen = given === '*' ? all : (given as readonly string[]);
  const mark = (name: string, is: boolean) => set('columns', toggled(chosen, name, is, all));
  const computed = (permission.computed_fields ?? []) as readonly string[];
  const choices = [
    ['all', all],
    ['none', []],
  ] as const;
  return (
    <fieldset>
      <legend>Columns</legend>
      {!isReadOnly && (
        <p className="pair">
          {choices.map(([title, columns]) => (
            <button key={title} type="button" onClick={() => set('columns', columns)}>
              {title}
            </button>
          ))}
          <CheckField
            label="also columns that the table gets later (*)"
            value={given === '*'}
            change={(is) => set('columns', is ? '*' : all)}
          />
        </p>
      )}
      <div className="checks">
        {table.columns.map(({ name, type }) => (
          <label key={name} className="check">
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              disabled={isReadOnly}
              onChange={({ target }) => mark(name, target.checked)}
            />{' '}
            {name} <small>{type}</small>
          </label>
        ))}
        {chosen
          .filter((name) => !all.includes(name))
          .map((name) => (
            <label key={name} className="check problem">
              <input type="checkbox" checked disabled={isReadOnly} onChange={() => mark(name, false)} />{' '}
              {name} <small>not in the table</small>
            </label>
          ))}
        {operation === 'select' &&
          table.computedFields.map((name) => (
            <label key={`computed ${name}`} className="check">
              <input
                type="checkbox"
                checked={computed.includes(name)}
                disabled={isReadOnly}
                onChange={({ target }) =>
                  set('computed_fields', toggled(computed, name, target.checked, table.computedFields))
                }
              />{' '}
              {name} <small>computed</small>
            </label>
          ))}
      </div>
    </fieldset>
  );
}

/** In the order of the table. */
function toggled(
  chosen: readonly string[],
  name: string,
  is: boolean,
  order: readonly string[],
): readonly string[] {
  const next = is ? [...chosen, name] : chosen.filter((each) => each !== name);
  return [...order.filter((each) => next.includes(each)), ...next.filter((each) => !order.includes(each))];
}

/** Values that the role cannot choose. */
function Presets({ table, permission, set, isReadOnly }: PartProps) {
  const variables = useId();
  const presets = isObject(permission.set) ? permission.set : {};
  const free = table.columns.filter(({ name }) => !Object.hasOwn(presets, name));
  const change = (next: JsonObject) => set('set', Object.keys(next).length === 0 ? undefined : next);
  return (
    <fieldset>
      <legend>Presets: values that the role cannot choose</legend>
      <datalist id={variables}>
        {table.variables.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {Object.entries(presets).map(([name, value]) => {
        const input = table.columns.find((each) => each.name === name)?.input ?? 'text';
        const { [name]: _, ...others } = presets;
        return (
          <p key={name} className="pair">
            <code>{name}</code>
            <ValueField
              label={`Preset of ${name}`}
              value={value}
              list={variables}
              isReadOnly={isReadOnly}
              read={(text) => readValue(text, input)}
              change={(next) => change({ ...presets, [name]: next })}
            />
            {!isReadOnly && (
              <button
                type="button"
                className="remove"
                aria-label={`Remove the preset of ${name}`}
                onClick={() => change(others)}
              >
                ×
              </button>
            )}
          </p>
        );
      })}
      {!isReadOnly && (
        <select
          className="add"
          aria-label="Add a preset"
          value=""
          onChange={({ target }) => change({ ...presets, [target.value]: '' })}
        >
          <option value="">+ preset</option>
          {free.map(({ name, type }) => (
            <option key={name} value={name}>
              {name} ({type})
            </option>
          ))}
        </select>
      )}
    </fieldset>
  );
}
