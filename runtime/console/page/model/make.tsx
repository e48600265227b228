/** Making a change, which waits to be reviewed and applied. */
import type { ComponentProps, ReactNode } from 'react';
import type { ConsoleState } from '../../questions.ts';
import { address } from '../route.ts';
import type { Change } from './change.ts';
import { keepChange, useDraft } from './draft.ts';

/** A button that makes a change, which waits to be applied. */
export function Make({
  change,
  label,
  children,
  isDisabled = false,
}: {
  readonly change: Change;
  /** The object, for those who hear the button. */
  readonly label?: string;
  readonly children: ReactNode;
  readonly isDisabled?: boolean;
}) {
  const spoken = label === undefined ? {} : { 'aria-label': `${String(children)} ${label}` };
  return (
    <button type="button" disabled={isDisabled} {...spoken} onClick={() => keepChange(change)}>
      {children}
    </button>
  );
}

/** The button where the console may make changes. */
export function MakeIfAllowed({
  state,
  ...make
}: ComponentProps<typeof Make> & { readonly state: Pick<ConsoleState, 'mode'> }) {
  return state.mode === 'read' ? null : <Make {...make} />;
}

/** Leads to the changes that wait, if there are any. */
export function ReviewLink() {
  const { changes } = useDraft();
  if (changes.length === 0) return null;
  return (
    <a className="button" href={address('changes')}>
      Review and apply {changes.length === 1 ? '1 change' : `${changes.length} changes`}
    </a>
  );
}
