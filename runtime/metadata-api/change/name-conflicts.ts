/** Names that two tables claim: the API refuses the change, where a start leaves the later table out. */

import type { Diagnostic, RootFieldClash } from '../../core/diagnostics/diagnostic.ts';
import type { InconsistentObject } from '../../core/diagnostics/inconsistency.ts';
import { EngineError } from '../../core/errors.ts';
import type { ObjectIdentity } from '../request/names.ts';
import { newInconsistency } from './policy.ts';

/** A root field that two owners claim, or, as a message, a name of types. */
export type NameConflict = RootFieldClash | { readonly message: string };

const CODES: ReadonlySet<string> = new Set(['root-field-conflict', 'type-name-conflict']);

/** The conflicts that a compile reported, each under a text that identifies it. */
export function nameConflicts(diagnostics: readonly Diagnostic[]): ReadonlyMap<string, NameConflict> {
  const conflicts = diagnostics
    .filter(({ code }) => CODES.has(code))
    .flatMap(({ message, clashes }): readonly NameConflict[] => clashes ?? [{ message }]);
  return new Map(conflicts.map((conflict) => [JSON.stringify(conflict), conflict]));
}

/**
 * Refuses a change that adds a root field of a remote schema: it costs the remote schema, unless that is what is added. Two
 * remote schemas with one root field are refused as any new inconsistency.
 */
export function refuseRemoteConflict(
  diagnostics: readonly Diagnostic[],
  before: readonly InconsistentObject[],
  targets: readonly ObjectIdentity[],
): void {
  const known = new Set(before.map(({ name }) => name));
  for (const { code, clashes = [], inconsistency } of diagnostics) {
    if (code !== 'remote-field-conflict' || !inconsistency || known.has(inconsistency.name)) continue;
    const { field, first } = clashes[0]!;
    if (first.startsWith('remote schema ')) throw newInconsistency([inconsistency]);
    if (targets.length > 0 && !targets.some(({ name }) => name === inconsistency.name))
      throw new EngineError(
        'remote-schema-conflicts',
        `node ${field} already exists in current graphql schema`,
      );
  }
}

/** Throws what a change is answered that brought these conflicts about. */
export function refuseConflicts(conflicts: readonly NameConflict[]): void {
  if (conflicts.length > 0) throw new EngineError('unexpected', describe(conflicts));
}

/** The first conflict; with it, if it is about a root field, all others of the same root type. */
function describe(conflicts: readonly NameConflict[]): string {
  const first = conflicts[0]!;
  if ('message' in first) return first.message;
  const fields = conflicts.flatMap((conflict) =>
    'root' in conflict && conflict.root === first.root
      ? [`'${conflict.field}' defined in [${conflict.first}, ${conflict.second}]`]
      : [],
  );
  const which = fields.length === 1 ? `field ${fields[0]}` : `fields: [\n  ${fields.join(',\n  ')}\n]`;
  return (
    `Encountered conflicting definitions in the selection set for '${first.root}' for ${which}. ` +
    'Fields must not be defined more than once across all sources.'
  );
}
