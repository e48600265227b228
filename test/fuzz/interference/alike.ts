/** Whether two answers say the same. @param isOrderOpen nothing decides the order of their rows */
export function alike(one: string, other: string, isOrderOpen: boolean): boolean {
  return one === other || (isOrderOpen && unordered(one) === unordered(other));
}

/** A request may leave the order of rows open, above all of those that a write returns; the plan then decides it. */
function unordered(text: string): string {
  return text.startsWith('{') ? JSON.stringify(sorted(JSON.parse(text))) : text;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => JSON.stringify(sorted(item))).sort();
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, sorted(item)]));
}
