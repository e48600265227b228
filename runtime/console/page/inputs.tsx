/** Labelled inputs of forms. */

/** A value of one line. */
export function TextField({
  label,
  value,
  change,
  placeholder,
  isReadOnly = false,
  type = 'text',
}: {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly placeholder?: string;
  readonly isReadOnly?: boolean;
  readonly type?: 'text' | 'number';
}) {
  return (
    <label className="stacked">
      {label}
      <input
        type={type}
        min={type === 'number' ? 0 : undefined}
        value={value}
        placeholder={placeholder}
        readOnly={isReadOnly}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => change(target.value)}
      />
    </label>
  );
}

export function CheckField({
  label,
  value,
  change,
  isReadOnly = false,
}: {
  readonly label: string;
  readonly value: boolean;
  readonly change: (value: boolean) => void;
  readonly isReadOnly?: boolean;
}) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={value}
        disabled={isReadOnly}
        onChange={({ target }) => change(target.checked)}
      />{' '}
      {label}
    </label>
  );
}
