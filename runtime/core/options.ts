/** Comparing options, on which depends whether something made earlier may be used. */

/** True if all switches are equal. An absent one is off. */
export function sameOptions<Options extends object>(left: Options, right: Options): boolean {
  const names = new Set([...Object.keys(left), ...Object.keys(right)]) as Set<keyof Options>;
  return [...names].every((name) => (left[name] || false) === (right[name] || false));
}
