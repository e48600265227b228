/** A choice of roles. */
import { useState } from 'react';
import { CheckField, TextField } from '../inputs.tsx';

/** Roles by check boxes, with a field for one that the metadata does not name yet. */
export function Roles({
  all,
  chosen,
  change,
  isReadOnly,
}: {
  readonly all: readonly string[];
  readonly chosen: readonly string[];
  readonly change: (chosen: readonly string[]) => void;
  readonly isReadOnly: boolean;
}) {
  const [further, setFurther] = useState('');
  const shown = [...new Set([...all, ...chosen])];
  const add = () => {
    const role = further.trim();
    if (role !== '' && !chosen.includes(role)) change([...chosen, role]);
    setFurther('');
  };
  return (
    <fieldset>
      <legend>Roles</legend>
      {shown.length > 0 && (
        <div className="checks">
          {shown.map((role) => (
            <CheckField
              key={role}
              label={role}
              value={chosen.includes(role)}
              isReadOnly={isReadOnly}
              change={(is) => change(is ? [...chosen, role] : chosen.filter((each) => each !== role))}
            />
          ))}
        </div>
      )}
      {!isReadOnly && (
        <div className="pair">
          <TextField label="Another role" value={further} change={setFurther} />
          <button type="button" onClick={add}>
            Add
          </button>
        </div>
      )}
    </fieldset>
  );
}
