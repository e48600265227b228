/** A finding of `audit diff`. */
import type { Location } from '../../../runtime/core/diagnostics/diagnostic.ts';

/**
 * `wider`: a role may do what it could not. `changed meaning`: something that a permission leads to is another, so that values or
 * rows may be others. `undecidable`: that may be so. `not wider`: it is proved not to be so, and whether
 * the role may do less is not known. `narrower`: the role may do less.
 */
export type Verdict = 'wider' | 'changed meaning' | 'undecidable' | 'not wider' | 'narrower';
export const VERDICTS: readonly Verdict[] = [
  'wider',
  'changed meaning',
  'undecidable',
  'not wider',
  'narrower',
];

export type FindingSubject = 'columns' | 'rows' | 'operations';

export interface Finding {
  readonly verdict: Verdict;
  readonly subject: FindingSubject;
  /** Absent for what is not about one role. */
  readonly role?: string;
  readonly source?: string;
  readonly table?: string;
  readonly operation?: string;
  /** One sentence without a full stop. */
  readonly text: string;
  /** Rules in readable form, where they are what changed. */
  readonly before?: string;
  readonly after?: string;
  /** Its present position, or the former one if it is gone. */
  readonly place?: Location;
}
