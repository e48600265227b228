/** Buttons that show what a change would do, and that keep it. */
import { useState } from 'react';
import type { PreviewAnswer, ProposalAnswer } from '../../proposal-questions.ts';
import { Problem } from '../parts.tsx';
import type { Change } from './change.ts';
import { keepChange, propose, withChange } from './draft.ts';
import { Preview, Problems } from './preview.tsx';

export function Review({
  text,
  change,
  isChanged,
  isValid = true,
  keep = keepChange,
}: {
  /** What is edited: a preview of another text is marked. */
  readonly text: string;
  /** May fail where something is missing. */
  readonly change: () => Change | Promise<Change>;
  readonly isChanged: boolean;
  readonly isValid?: boolean;
  readonly keep?: (change: Change) => void;
}) {
  const [preview, setPreview] = useState<{
    readonly of: string;
    readonly changes: readonly Change[];
    readonly answer: ProposalAnswer<PreviewAnswer>;
  }>();
  const [error, setError] = useState<Error>();
  const [isAsked, setAsked] = useState(false);
  const run = async (use: (change: Change) => unknown) => {
    setAsked(true);
    setError(undefined);
    try {
      await use(await change());
    } catch (failure) {
      setError(failure as Error);
    }
    setAsked(false);
  };
  const show = async (further: Change) => {
    const answer = await propose<PreviewAnswer>({ page: 'preview' }, { further });
    setPreview({ of: text, changes: withChange(further), answer });
  };
  /** One that cannot be read would keep every page from being shown with it. */
  const keepReadable = async (made: Change) => {
    await propose({ page: 'action' }, { further: made });
    keep(made);
  };
  return (
    <>
      <p className="pair">
        <button type="button" onClick={() => run(show)} disabled={!isValid || isAsked}>
          Preview
        </button>
        <button type="button" onClick={() => run(keepReadable)} disabled={!isValid || !isChanged || isAsked}>
          Keep the change
        </button>
        {isAsked && <span role="status">Compiling …</span>}
        {!isChanged && <span className="quiet">Nothing is changed.</span>}
      </p>
      {error && <Problem error={error} />}
      {preview && (
        <section className="card" aria-label="Preview">
          <h2>
            What it would do{' '}
            {preview.of !== text && <small>before your last edit: press Preview again</small>}
          </h2>
          <Problems answer={preview.answer} changes={preview.changes} />
          <Preview preview={preview.answer.shown} />
        </section>
      )}
    </>
  );
}
