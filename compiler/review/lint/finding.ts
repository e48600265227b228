/** Findings of the lint as data: what allowances name and what is grouped is never read from a message. */
import { at, type Diagnostic, type Message } from '../../../runtime/core/diagnostics/diagnostic.ts';
import type { MetadataPath } from '../../../runtime/metadata/metadata.ts';
import type { PlacedPermission, PlacedTable } from './place.ts';

/** A report of a lint rule. */
export interface Found extends Diagnostic {
  /** The columns that it is about: of the rule's table, or of a table that it looks at. */
  readonly columns?: readonly string[];
  /** Findings of a rule with the same one are reported as one. */
  readonly cause: Cause;
}

/** What makes a finding: names of a table, a role or columns, the text of a rule. */
type Cause = readonly (string | undefined)[];

/** Puts a message at a place of the metadata, with its cause. */
export function causedBy(path: MetadataPath, message: Message, cause: Cause): Found {
  return { ...at(path, message), cause };
}

/**
 * Puts a message about columns at a place of the metadata. Findings about the same columns of a table have one cause, whatever the role.
 * @param by distinguishes the cause from others about the same columns
 */
export function about(
  { source, model: { key } }: Pick<PlacedTable, 'source' | 'model'>,
  path: MetadataPath,
  message: Message,
  columns: readonly string[],
  by?: string,
): Found {
  return { ...causedBy(path, message, [source, key, ...columns, by]), columns };
}

export interface LintFinding {
  readonly diagnostic: Diagnostic;
  /** Key and display name of the table. */
  readonly tables: readonly string[];
  readonly columns: readonly string[];
  readonly role: string;
  /** That of the permission; absent where it is about something else. */
  readonly operation?: PlacedPermission['operation'];
  /** Where it is, for people, without the role. */
  readonly place: string;
  readonly cause: Cause;
}

/** One diagnostic for each cause, at the first permission that has it; the others are among its details. */
export function groupFindings(findings: readonly LintFinding[]): Diagnostic[] {
  const groups = new Map<string, LintFinding[]>();
  for (const finding of findings) {
    const { cause, diagnostic } = finding;
    const key = JSON.stringify([diagnostic.code, cause]);
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  return [...groups.values()].map(([first, ...others]) => {
    const { diagnostic, role } = first!;
    if (others.length === 0) return diagnostic;
    const isOneRole = others.every((each) => each.role === role);
    const places = others.map((each) => [...(isOneRole ? [] : [each.role]), each.place].join(', '));
    const details = [...(diagnostic.details ?? []), `The same for ${[...new Set(places)].join('; ')}.`];
    return { ...diagnostic, details };
  });
}
