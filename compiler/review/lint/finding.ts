/** Findings of the lint as data: what allowances name and what is grouped is never read from a message. */
import { at, type Diagnostic, type Message } from '../../../runtime/diagnostics/diagnostic.ts';
import type { MetadataPath } from '../../../runtime/metadata/metadata.ts';
import type { PlacedPermission } from './place.ts';

/** A report of a lint rule. */
export interface Found extends Diagnostic {
  /** The columns that it is about: of the rule's table, or of a table that it looks at. */
  readonly columns?: readonly string[];
  /** Distinguishes its cause from others about the same columns. */
  readonly by?: string;
}

/** Puts a message about columns at a place of the metadata. */
export function about(path: MetadataPath, message: Message, columns: readonly string[], by?: string): Found {
  return { ...at(path, message), columns, ...(by !== undefined && { by }) };
}

export interface LintFinding {
  readonly diagnostic: Diagnostic;
  /** Key and display name of the table. */
  readonly tables: readonly string[];
  readonly columns: readonly string[];
  readonly role: string;
  readonly operation?: PlacedPermission['operation'];
  /** Findings with the same one have one cause; absent: none is shared. */
  readonly cause?: string;
}

/** One diagnostic for each cause, at the first permission that has it; the others are among its details. */
export function groupFindings(findings: readonly LintFinding[]): Diagnostic[] {
  const groups = new Map<string, LintFinding[]>();
  for (const [index, finding] of findings.entries()) {
    const key = finding.cause ?? `${index}`;
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  return [...groups.values()].map(([first, ...others]) => {
    const { diagnostic } = first!;
    if (others.length === 0) return diagnostic;
    const places = others.map(({ role, operation }) => `${role}, ${operation}`);
    const details = [...(diagnostic.details ?? []), `The same for ${[...new Set(places)].join('; ')}.`];
    return { ...diagnostic, details };
  });
}
