/** A part of the metadata as JSON, beside fields that change the same value. */
import { useState } from 'react';
import type { JsonObject } from '../../core/json/json.ts';
import { jsonText } from '../../core/json/json-value.ts';
import { readObject } from './json-object.ts';

/** A text that is not an object yet stays in the field and does not change the value. */
export function JsonText({
  label,
  value,
  change,
  valid,
  isReadOnly,
}: {
  readonly label: string;
  readonly value: JsonObject;
  readonly change: (value: JsonObject) => void;
  readonly valid: (is: boolean) => void;
  readonly isReadOnly: boolean;
}) {
  const [typed, setTyped] = useState<{
    readonly text: string;
    readonly meaning?: string;
    readonly problem?: string;
  }>();
  // Fields that change the value replace what was typed.
  const isTyped = typed && (typed.problem !== undefined || typed.meaning === jsonText(value));
  const text = isTyped ? typed.text : jsonText(value, '  ');
  const problem = isTyped ? typed.problem : undefined;
  const edit = (next: string) => {
    try {
      const read = readObject(next, 'This', '{ … }');
      setTyped({ text: next, meaning: jsonText(read) });
      valid(true);
      change(read);
    } catch (error) {
      setTyped({ text: next, problem: (error as Error).message });
      valid(false);
    }
  };
  return (
    <>
      <label className="stacked">
        {label}
        <textarea
          rows={Math.min(24, Math.max(6, text.split('\n').length))}
          spellCheck={false}
          value={text}
          readOnly={isReadOnly}
          aria-invalid={problem !== undefined}
          onChange={({ target }) => edit(target.value)}
        />
      </label>
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}
