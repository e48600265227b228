import { EngineError } from '../../core/errors.ts';
import { object, requiredList } from '../../metadata/combinators.ts';
import type { InheritedRole } from '../../metadata/metadata.ts';
import { name } from '../../metadata/values.ts';
import { NO_PATH } from '../edit.ts';
import { METADATA, operation, SUCCESS } from '../operation.ts';

export const addInheritedRole = operation({
  name: 'add_inherited_role',
  spelling: 'bare',
  endpoints: METADATA,
  documentation: 'Makes a role that combines the permissions of others, or replaces it.',
  arguments: object({ role_name: name, role_set: requiredList(name) }),
  policy: 'target',
  targets: ({ role_name }) => [{ type: 'inherited_role', name: `inherited role ${role_name}` }],
  changesMetadata: true,
  run: ({ role_name, role_set }, copy) => {
    if (role_set.includes(role_name)) {
      throw new EngineError('invalid-params', 'an inherited role name cannot be in the role combination');
    }
    const others = copy.metadata.inherited_roles.filter((entry) => entry.role_name !== role_name);
    const added = { ...NO_PATH, role_name, role_set: [...new Set(role_set)] };
    // The new role first: a cycle is told as one that begins with it.
    refuseCycles([added, ...others]);
    copy.metadata = { ...copy.metadata, inherited_roles: [...others, added] };
    return SUCCESS;
  },
});

export const dropInheritedRole = operation({
  name: 'drop_inherited_role',
  spelling: 'bare',
  endpoints: METADATA,
  documentation: 'Drops an inherited role.',
  arguments: object({ role_name: name }),
  policy: 'target',
  changesMetadata: true,
  run: ({ role_name }, copy) => {
    const kept = copy.metadata.inherited_roles.filter((entry) => entry.role_name !== role_name);
    if (kept.length === copy.metadata.inherited_roles.length) {
      throw new EngineError('not-exists', `"${role_name}" inherited role doesn't exist`);
    }
    copy.metadata = { ...copy.metadata, inherited_roles: kept };
    return SUCCESS;
  },
});

/** @throws EngineError cyclic-dependency if a role inherits from itself, by whatever way */
export function refuseCycles(roles: readonly InheritedRole[]): void {
  const parents = new Map(roles.map(({ role_name, role_set }) => [role_name, role_set]));
  for (const { role_name } of roles) {
    const cycle = findCycle(role_name, parents);
    if (cycle === undefined) continue;
    throw new EngineError('cyclic-dependency', `found cycle(s) in roles: ${JSON.stringify(cycle)}`);
  }
}

/** A way from the role back to itself, both ends named; undefined if there is none. */
function findCycle(
  role: string,
  parents: ReadonlyMap<string, readonly string[]>,
): readonly string[] | undefined {
  const visit = (current: string, way: readonly string[]): readonly string[] | undefined => {
    for (const parent of parents.get(current) ?? []) {
      if (parent === role) return [...way, parent];
      const found = way.includes(parent) ? undefined : visit(parent, [...way, parent]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return visit(role, [role]);
}
