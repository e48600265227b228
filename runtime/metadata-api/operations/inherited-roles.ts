import { EngineError } from '../../core/errors.ts';
import { object } from '../../metadata/combinators.ts';
import { inheritedRole } from '../../metadata/kinds/settings.ts';
import type { InheritedRole } from '../../metadata/metadata.ts';
import { name } from '../../metadata/values.ts';
import { NO_PATH } from '../change/edit.ts';
import { listOperations, serviceList } from '../request/list-operations.ts';
import { METADATA, type MetadataOperation, operation, SUCCESS } from '../request/operation.ts';

const common = { spelling: 'bare', endpoints: METADATA, policy: 'target' } as const;

const { drop } = listOperations(serviceList('inherited_roles', 'role_name'), common, () => []);

export const inheritedRoleOperations: readonly MetadataOperation[] = [
  operation({
    ...common,
    name: 'add_inherited_role',
    documentation: 'Makes a role that combines the permissions of others, or replaces it.',
    arguments: inheritedRole,
    targets: ({ role_name }) => [{ type: 'inherited_role', name: `inherited role ${role_name}` }],
    changesMetadata: true,
    run: ({ role_name, role_set }, copy) => {
      if (role_set.includes(role_name)) {
        throw new EngineError('invalid-params', 'an inherited role name cannot be in the role combination');
      }
      const others = copy.metadata.inherited_roles.filter((entry) => entry.role_name !== role_name);
      const added = { ...NO_PATH, role_name, role_set: [...new Set(role_set)] };
      // The new role first: a cycle is reported as one that begins with it.
      refuseCycles([added, ...others]);
      copy.metadata = { ...copy.metadata, inherited_roles: [...others, added] };
      return SUCCESS;
    },
  }),
  drop({
    name: 'drop_inherited_role',
    documentation: 'Drops an inherited role.',
    arguments: object({ role_name: name }),
    missing: ({ role_name }) => new EngineError('not-exists', `"${role_name}" inherited role doesn't exist`),
  }),
];

/** @throws EngineError cyclic-dependency if a role inherits from itself, by whatever way */
export function refuseCycles(roles: readonly InheritedRole[]): void {
  const parents = new Map(roles.map(({ role_name, role_set }) => [role_name, role_set]));
  // A cycle is described from its first role by name.
  for (const role of [...parents.keys()].sort()) {
    const cycle = findCycle(role, parents);
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
