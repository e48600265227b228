/** The severity of a change for existing clients. */

export type Weight = 'breaking' | 'dangerous' | 'safe';

export const WEIGHTS: readonly Weight[] = ['breaking', 'dangerous', 'safe'];

export interface WeighedChange {
  readonly weight: Weight;
  /** Kind of change, in the words of graphql-js for schemas: `FIELD_REMOVED`. */
  readonly kind: string;
  /** One sentence without a full stop. */
  readonly text: string;
}

/** A change with the roles that meet it, sorted. */
export interface RoleChange extends WeighedChange {
  readonly roles: readonly string[];
}

/** Merges equal changes of several roles. Most severe first, then by text. */
export function gatherChanges(byRole: ReadonlyMap<string, readonly WeighedChange[]>): RoleChange[] {
  const gathered = new Map<string, { readonly change: WeighedChange; readonly roles: string[] }>();
  for (const [role, changes] of byRole)
    for (const change of changes) {
      const key = JSON.stringify([change.weight, change.kind, change.text]);
      const known = gathered.get(key) ?? { change, roles: [] };
      if (!known.roles.includes(role)) known.roles.push(role);
      gathered.set(key, known);
    }
  return [...gathered.values()]
    .map(({ change, roles }) => ({ ...change, roles: roles.sort() }))
    .sort(
      (left, right) =>
        WEIGHTS.indexOf(left.weight) - WEIGHTS.indexOf(right.weight) || (left.text < right.text ? -1 : 1),
    );
}
