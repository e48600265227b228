/** Puts the rows of several types in the order of the representations that asked for them. */
import { JsonScanner } from '../json/scanner.ts';
import { readRepresentations } from './representations.ts';

/**
 * The JSON list of the entities.
 * @param value of the argument `representations`
 * @param lists JSON lists by type; an item for each representation of the type
 */
export function mergeEntities(value: unknown, lists: ReadonlyMap<string, string>): string {
  const [only] = lists.values();
  if (lists.size === 1) return only!;
  const rest = new Map([...lists].map(([typeName, list]) => [typeName, itemsOf(list).values()]));
  const items = readRepresentations(value, '$').map(({ typeName }) => rest.get(typeName)!.next().value);
  return `[${items.join(',')}]`;
}

function itemsOf(list: string): string[] {
  const scanner = new JsonScanner(list);
  const items: string[] = [];
  scanner.eachItem(() => items.push(scanner.slice()));
  return items;
}
