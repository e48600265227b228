/**
 * When a change is accepted: what became inconsistent decides, never what was so before,
 * except for the object that the operation itself is about.
 * @rule Is a change of metadata accepted?
 */

import type { InconsistentObject } from '../../core/diagnostics/inconsistency.ts';
import { EngineError } from '../../core/errors.ts';
import { quotedName } from '../../core/names.ts';
import type { JsonObject, QualifiedName } from '../../metadata/metadata.ts';
import { globalObject, type ObjectIdentity } from '../request/names.ts';

/**
 * `target`: the object itself must be consistent, and no other may become inconsistent. `others`: none may become
 * inconsistent. `everything`: nothing may be inconsistent.
 */
export type Policy = 'target' | 'others' | 'everything';

export interface PolicyOutcome {
  readonly before: readonly InconsistentObject[];
  readonly after: readonly InconsistentObject[];
  /** The objects that the operation changes, for the policy `target`. */
  readonly targets: readonly ObjectIdentity[];
}

/** Throws if the outcome is not acceptable under the policy. */
export function enforcePolicy(policy: Policy, outcome: PolicyOutcome): void {
  const { before, after, targets } = outcome;
  if (policy === 'everything') {
    if (after.length === 0) return;
    throw new EngineError('unexpected', 'cannot continue due to inconsistent metadata', {
      status: 400,
      internal: after,
    });
  }
  if (policy === 'target') {
    refuseUnreachable(targets, after);
    const wanted = new Set(targets.map(identityKey));
    const own = after.filter((object) => identitiesOf(object).some((each) => wanted.has(identityKey(each))));
    if (own.length > 0) {
      throw new EngineError('invalid-configuration', own.map(({ reason }) => reason).join(', '), {
        internal: own,
      });
    }
  }
  const found = newlyInconsistent(before, after);
  if (found.length === 0) return;
  throw policy === 'target'
    ? newInconsistency(found)
    : new EngineError('unexpected', 'cannot continue due to newly found inconsistent metadata', {
        status: 500,
        internal: found,
      });
}

/** A change that makes these objects inconsistent is refused. */
export function newInconsistency(found: readonly InconsistentObject[]): EngineError {
  return new EngineError('unexpected', 'cannot continue due to new inconsistent metadata', {
    status: 400,
    internal: found,
  });
}

/** Nothing is known about the parts of a source or table that is left out, so an operation on one is refused. */
function refuseUnreachable(targets: readonly ObjectIdentity[], after: readonly InconsistentObject[]): void {
  const owners = new Set(targets.flatMap(({ within = [] }) => within.map(identityKey)));
  const owner = after.find((object) => object.name !== undefined && owners.has(identityKey(object)));
  if (owner === undefined) return;
  const called =
    owner.type === 'source'
      ? `source with name "${owner.definition}"`
      : `table ${quotedName(owner.definition as unknown as QualifiedName)}`;
  throw new EngineError('unexpected', `${called} is inconsistent`, { status: 400 });
}

/** The objects that an entry is about. */
function identitiesOf(object: InconsistentObject): readonly ObjectIdentity[] {
  if (object.objects !== undefined) return object.objects;
  if (object.conflicts === undefined) return [object];
  return (object.conflicts as readonly JsonObject[]).map(({ name }) =>
    globalObject('rest_endpoint', String(name)),
  );
}

/** Parents of an inherited role that disagree: a gap in the role, listed, but no object that could be dropped. */
const ROLE_CONFLICT = 'inherited role permission inconsistency';

/** Objects that are inconsistent after, and were not before. */
function newlyInconsistent(
  before: readonly InconsistentObject[],
  after: readonly InconsistentObject[],
): readonly InconsistentObject[] {
  const known = new Set(before.map(identityKey));
  return after.filter((object) => object.type !== ROLE_CONFLICT && !known.has(identityKey(object)));
}

/** Entries of special shape (conflicts) have no single name: their whole content identifies them. */
function identityKey(object: ObjectIdentity | InconsistentObject): string {
  return object.name === undefined ? JSON.stringify(object) : `${object.type} ${object.name}`;
}
