/**
 * Which diagnostics only follow from others. Each report names what is lost and what was missed; no message is
 * looked at.
 */
import type { Diagnostic } from './diagnostic.ts';

/** Facts of a diagnostic for `linkCauses`, which removes them. */
export interface Losses {
  /** Objects that are missing because of it: the object that is left out, and those that only it offers. */
  readonly lost?: readonly string[];
  /** The object that was not found. */
  readonly missed?: string | undefined;
}

/** Names of what can be lost. */
export const lossOf = {
  table: (source: string, key: string) => `table ${source} ${key}`,
  field: (source: string, table: string, name: string) => `field ${source} ${table} ${name}`,
  remoteSchema: (name: string) => `remote schema ${name}`,
  rootField: (name: string) => `root field ${name}`,
  customTypes: 'custom types',
} as const;

/** The same diagnostics, in the same order; those that follow from another say so. */
export function linkCauses(diagnostics: readonly (Diagnostic & Losses)[]): Diagnostic[] {
  const owners = new Map<string, number>();
  for (const [index, { lost = [] }] of diagnostics.entries())
    for (const name of lost) if (!owners.has(name)) owners.set(name, index);
  const causeOf = (index: number) => owners.get(diagnostics[index]!.missed ?? '');
  return diagnostics.map(({ lost: _, missed: __, ...diagnostic }, index) => {
    const trail = new Set([index]);
    let root = index;
    for (let cause = causeOf(index); cause !== undefined && !trail.has(cause); cause = causeOf(root)) {
      trail.add(cause);
      root = cause;
    }
    if (root === index) return diagnostic;
    const { code, path, location } = diagnostics[root]!;
    return { ...diagnostic, because: { code, path, ...(location && { location }) } };
  });
}

/** A diagnostic, and those that follow from it. */
interface Cause {
  readonly diagnostic: Diagnostic;
  readonly consequences: readonly Diagnostic[];
}

/** Groups diagnostics by their cause. One whose cause is not among them is a group of its own. */
export function groupByCause(diagnostics: readonly Diagnostic[]): Cause[] {
  const keyOf = ({ code, path }: Pick<Diagnostic, 'code' | 'path'>) => JSON.stringify([code, path]);
  const causes = new Map<string, Diagnostic[]>();
  for (const each of diagnostics) if (!each.because) causes.set(keyOf(each), []);
  const follows = ({ because }: Diagnostic) => because && causes.get(keyOf(because));
  for (const each of diagnostics) follows(each)?.push(each);
  return diagnostics
    .filter((each) => !follows(each))
    .map((diagnostic) => {
      const consequences = causes.get(keyOf(diagnostic)) ?? [];
      // If two causes are at one place, the first one counts.
      causes.set(keyOf(diagnostic), []);
      return { diagnostic, consequences };
    });
}

/** Causes first, then what follows from them: reports that are cut off keep what matters. */
export function causesFirst(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const groups = groupByCause(diagnostics);
  return [
    ...groups.map(({ diagnostic }) => diagnostic),
    ...groups.flatMap(({ consequences }) => consequences),
  ];
}
