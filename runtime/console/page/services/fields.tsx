/** Fields that change an entry of the metadata by its keys. */
import { isObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { CheckField, TextField } from '../inputs.tsx';

/** Values by key; keys with undefined are dropped. */
type Part = Readonly<Record<string, Json | undefined>>;

export interface FieldsProps {
  readonly entry: JsonObject;
  readonly patch: (part: Part) => void;
  readonly isReadOnly: boolean;
}

export function patched(entry: JsonObject, part: Part): JsonObject {
  return Object.fromEntries(
    Object.entries({ ...entry, ...part }).filter(([, value]) => value !== undefined),
  ) as JsonObject;
}

/** An object within the entry; empty where there is none. */
export function inner(entry: JsonObject, key: string): JsonObject {
  const value = entry[key];
  return isObject(value) ? value : {};
}

/** For fields of an object within the entry. @param required keys that the metadata requires in it, with their defaults */
export function within(
  { entry, patch, isReadOnly }: FieldsProps,
  key: string,
  required: JsonObject = {},
): FieldsProps {
  const value = inner(entry, key);
  return {
    entry: value,
    patch: (part) => patch({ [key]: { ...required, ...patched(value, part) } }),
    isReadOnly,
  };
}

interface KeyProps extends FieldsProps {
  readonly label: string;
  /** The key. */
  readonly name: string;
}

interface TextProps extends KeyProps {
  readonly placeholder?: string;
}

function textOf(value: Json | undefined): string {
  return value === undefined || value === null ? '' : String(value);
}

/** @param isOptional the key is dropped where the field is empty */
export function KeyField({
  name,
  entry,
  patch,
  isOptional = false,
  ...field
}: TextProps & { readonly isOptional?: boolean }) {
  return (
    <TextField
      {...field}
      value={textOf(entry[name])}
      change={(text) => patch({ [name]: text === '' && isOptional ? undefined : text })}
    />
  );
}

/** The key is dropped where the field is empty. */
export function NumberField({ name, entry, patch, ...field }: TextProps) {
  return (
    <TextField
      {...field}
      type="number"
      value={textOf(entry[name])}
      change={(text) => patch({ [name]: text === '' ? undefined : Number(text) })}
    />
  );
}

export function FlagField({ name, entry, patch, ...field }: KeyProps) {
  return <CheckField {...field} value={entry[name] === true} change={(is) => patch({ [name]: is })} />;
}

/** Where something is called: a URL, or the environment variable of the server that holds it. @param keys of both in the entry */
export function AddressField({
  label,
  keys: [url, variable],
  ...fields
}: FieldsProps & { readonly label: string; readonly keys: readonly [url: string, variable: string] }) {
  const isVariable = fields.entry[variable] !== undefined;
  return (
    <div className="pair address">
      <label className="stacked">
        {label}
        <select
          value={isVariable ? variable : url}
          disabled={fields.isReadOnly}
          onChange={({ target }) =>
            fields.patch({ [url]: undefined, [variable]: undefined, [target.value]: '' })
          }
        >
          <option value={url}>URL</option>
          <option value={variable}>from the environment variable</option>
        </select>
      </label>
      {isVariable ? (
        <KeyField label="Environment variable" name={variable} placeholder="HANDLER_URL" {...fields} />
      ) : (
        <KeyField
          label="URL"
          name={url}
          placeholder="https://example.org/hook or {{HANDLER_URL}}"
          {...fields}
        />
      )}
    </div>
  );
}
