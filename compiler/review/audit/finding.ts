/** A finding of `audit diff`. */
import type { Location } from '../../../runtime/diagnostics/diagnostic.ts';

export type Verdict = 'wider' | 'undecidable' | 'narrower';
export const VERDICTS: readonly Verdict[] = ['wider', 'undecidable', 'narrower'];

export type Subject = 'columns' | 'rows' | 'operations';

export interface Finding {
  readonly verdict: Verdict;
  readonly subject: Subject;
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
