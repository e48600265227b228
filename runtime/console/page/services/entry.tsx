/** An entry of the metadata, by fields or as the JSON that the metadata has: both are the same value. */
import { type ReactNode, useState } from 'react';
import type { JsonObject } from '../../../core/json/json.ts';
import { jsonText } from '../../../core/json/json-value.ts';
import type { ConsoleState } from '../../questions.ts';
import type { ServicesAnswer } from '../../services-questions.ts';
import type { Loaded } from '../api.ts';
import { JsonText } from '../json-text.tsx';
import type { Change } from '../model/change.ts';
import { useDraft, useProposal } from '../model/draft.ts';
import { Problems } from '../model/preview.tsx';
import { Review } from '../model/review.tsx';
import { Closed } from '../parts.tsx';
import { type FieldsProps, patched } from './fields.tsx';

/** The services of the metadata, changes that wait included. */
export function useServices(): Loaded<{
  readonly shown: ServicesAnswer;
  readonly problems: ReactNode;
}> {
  const { value, ...loaded } = useProposal<ServicesAnswer>({ page: 'services' });
  const { changes } = useDraft();
  return {
    ...loaded,
    value: value && { shown: value.shown, problems: <Problems answer={value} changes={changes} /> },
  };
}

export function EntryEditor({
  state,
  label,
  value,
  text = '',
  isNew = false,
  change,
  children,
}: {
  readonly state: Pick<ConsoleState, 'mode'>;
  /** Of the JSON. */
  readonly label: string;
  readonly value: JsonObject;
  /** What is edited as well, as a text that differs when it does. */
  readonly text?: string;
  /** The metadata does not have the entry yet. */
  readonly isNew?: boolean;
  readonly change: (entry: JsonObject) => Change | Promise<Change>;
  readonly children: (fields: FieldsProps) => ReactNode;
}) {
  const [entry, setEntry] = useState(value);
  const [first] = useState(text);
  const [isValid, setValid] = useState(true);
  const isReadOnly = state.mode === 'read';
  const written = jsonText(entry);
  return (
    <div className="editor">
      <div className="fields">
        {children({ entry, isReadOnly, patch: (part) => setEntry(patched(entry, part)) })}
      </div>
      <div>
        <JsonText label={label} value={entry} change={setEntry} valid={setValid} isReadOnly={isReadOnly} />
        {!isReadOnly && (
          <Review
            text={`${written} ${text}`}
            change={() => change(entry)}
            isChanged={isNew || written !== jsonText(value) || text !== first}
            isValid={isValid}
          />
        )}
      </div>
    </div>
  );
}

/** A form for a new entry, closed until it is wanted; absent where nothing may be changed. */
export function NewEntry({
  state,
  title,
  children,
}: {
  readonly state: Pick<ConsoleState, 'mode'>;
  readonly title: string;
  readonly children: ReactNode;
}) {
  if (state.mode === 'read') return null;
  return <Closed title={title}>{children}</Closed>;
}
