/** The changes that were made and not applied: what they do together, applying them, and taking them along as a patch for git. */
import { useState } from 'react';
import type { PreviewAnswer } from '../../proposal-questions.ts';
import type { ConsoleState } from '../../questions.ts';
import { Refusal, useLoaded } from '../api.ts';
import { CopyButton } from '../copy.tsx';
import { Difference } from '../difference.tsx';
import { ActionButton, PageHead, type PageProps, Problem, Shown, Waiting } from '../parts.tsx';
import { address } from '../route.ts';
import {
  applyChanges,
  dropChange,
  dropChanges,
  type Exported,
  exported,
  propose,
  useDraft,
} from './draft.ts';
import { Preview, Problems } from './preview.tsx';

export function Changes({ state }: PageProps) {
  const { changes, revision } = useDraft();
  const [applied, setApplied] = useState(false);
  const loaded = useLoaded(String(revision), async () => {
    const base = await exported();
    return { revision, base, answer: await propose<PreviewAnswer>({ page: 'preview' }) };
  });
  const [conflict, setConflict] = useState<Exported>();
  const { value, again } = loaded;
  const isConflict = conflict !== undefined && value?.base === conflict;
  // Only the changes that the preview shows are applied.
  const isShown = value?.revision === revision && !loaded.error && !isConflict;
  const apply = async () => {
    const { base, answer } = value!;
    try {
      await applyChanges(answer.resourceVersion);
      setApplied(true);
    } catch (error) {
      if (error instanceof Refusal && error.code === 'conflict') setConflict(base);
      throw error;
    }
  };
  return (
    <>
      <PageHead title="Changes" value={changes.map(({ operation }) => operation)} again={again} />
      {changes.length === 0 ? (
        <p className="quiet">
          {applied ? 'The changes are applied and served. ' : 'Nothing is waiting to be applied. '}
          <a href={address('model')}>The model</a> is where changes are made.
        </p>
      ) : (
        <>
          <ol className="changes">
            {changes.map(({ key, title }) => (
              <li key={key}>
                {title}{' '}
                <button type="button" aria-label={`Undo: ${title}`} onClick={() => dropChange(key)}>
                  Undo
                </button>
              </li>
            ))}
          </ol>
          <p className="pair spaced">
            {isShown && value.answer.problems.length === 0 && (
              <ActionButton state={state} run={apply} isMain>
                Apply
              </ActionButton>
            )}
            <button type="button" onClick={dropChanges}>
              Undo all
            </button>
          </p>
          {isConflict && <OtherChange since={conflict} again={again} />}
        </>
      )}
      <Shown of={loaded} waiting="Compiling …">
        {({ answer }) =>
          changes.length > 0 && (
            <>
              <Problems answer={answer} changes={changes} />
              <section className="card">
                <Preview preview={answer.shown} />
              </section>
            </>
          )
        }
      </Shown>
      <TakeAlong state={state} />
    </>
  );
}

/** What somebody else changed meanwhile. */
function OtherChange({ since, again }: { readonly since: Exported; readonly again: () => void }) {
  const loaded = useLoaded('other', async () => {
    const now = await propose<PreviewAnswer>({ page: 'preview', since: since.metadata }, { isAlone: true });
    return now;
  });
  return (
    <section className="card" aria-label="The other change">
      <h2>The metadata has changed meanwhile</h2>
      <p>
        Nothing was applied: version {since.resource_version} is no longer served. This is the change of the
        others:
      </p>
      <Shown of={loaded}>{({ shown }) => <Difference text={shown.patch || ' the same metadata'} />}</Shown>
      <button type="button" onClick={again}>
        Review my changes on top of it
      </button>
    </section>
  );
}

/** The metadata folder's difference, for git. */
function TakeAlong({ state }: { readonly state: ConsoleState }) {
  const { origin, revision } = useDraft();
  const [isWhole, setWhole] = useState(false);
  const since = isWhole ? null : origin?.metadata;
  const wanted = `${revision} ${isWhole} ${origin?.resource_version}`;
  const { value, error } = useLoaded(wanted, async () => {
    const shown =
      since === undefined ? undefined : (await propose<PreviewAnswer>({ page: 'preview', since })).shown;
    return { of: wanted, shown };
  });
  // Until there is a new one, the last patch is another than what is chosen.
  const isCurrent = value?.of === wanted;
  const { patch, secrets = [] } = (isCurrent && value.shown) || {};
  return (
    <section className="card" aria-label="Take it along">
      <h2>For git</h2>
      {state.writesFiles ? (
        <p>engine dev writes what is applied to the files of the project at once.</p>
      ) : (
        <p className="quiet">
          The difference of the metadata folder, one table a file as <code>engine metadata export</code>{' '}
          writes it. In the repository: <code>git apply --directory=metadata engine.patch</code>. Where it has
          no folder yet, take the whole one.
        </p>
      )}
      <p className="pair">
        <label>
          <input type="radio" checked={!isWhole} onChange={() => setWhole(false)} /> changes of this visit
        </label>
        <label>
          <input type="radio" checked={isWhole} onChange={() => setWhole(true)} /> the whole folder
        </label>
      </p>
      {error && <Problem error={error} />}
      {!isCurrent && !error && <Waiting>Comparing …</Waiting>}
      {patch === '' && <p className="quiet">Nothing differs since this visit began.</p>}
      {patch !== undefined && patch !== '' && (
        <>
          <p className="pair">
            <CopyButton text={() => patch}>Copy the patch</CopyButton>
            <button type="button" onClick={() => download(patch)}>
              Download engine.patch
            </button>
          </p>
          {isWhole &&
            secrets.map((text) => (
              <p key={text} className="problem">
                A secret is written out. Do not commit it: {text}
              </p>
            ))}
          <details open={!isWhole}>
            <summary>{patch.split('\ndiff --git ').length} files</summary>
            <Difference text={patch} />
          </details>
        </>
      )}
    </section>
  );
}

function download(patch: string): void {
  const link = document.createElement('a');
  link.download = 'engine.patch';
  link.href = URL.createObjectURL(new Blob([patch], { type: 'text/x-patch' }));
  link.click();
  URL.revokeObjectURL(link.href);
}
