/** Kinds of objects that are stored but not served by this version: every change to one says so. */
import type { WorkingCopy } from '../change/working-copy.ts';

export function warnNotServed(copy: WorkingCopy, type: string, name: string, what: string): void {
  copy.warn({
    code: 'not-served-yet',
    message: `${what} are kept in the metadata, but not served yet`,
    type,
    name,
  });
}
