/** Drops with dependents: refused, or cascaded. */

import { EngineError } from '../../core/errors.ts';
import {
  describeDependent,
  findDependencies,
  findDependents,
  removeDependents,
} from '../../metadata/dependencies.ts';
import type { Dependent, Needed } from '../../metadata/references.ts';
import type { WorkingCopy } from './working-copy.ts';

/**
 * Refuses to drop an object that others need: throws `dependency-error`, or removes the others if `cascade`. Objects that
 * belong to a dropped table or source need no cascade.
 */
export function refuseDependents(copy: WorkingCopy, dropped: Needed, cascade: boolean): void {
  const dependencies = findDependencies(copy.metadata, (source) => copy.catalog(source));
  const dependents = findDependents(dependencies, [dropped]);
  if (dependents.length === 0) return;
  if (!cascade) throw dependencyError(dependents);
  copy.metadata = removeDependents(copy.metadata, dependents);
}

export function dependencyError(dependents: readonly Dependent[]): EngineError {
  const names = dependents.map(describeDependent).sort();
  return new EngineError(
    'dependency-error',
    `cannot drop due to the following dependent objects: ${names.join(', ')}`,
  );
}
