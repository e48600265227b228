/** A change of the metadata that is made in the console, and waits to be applied. */
import { jsonText } from '../../../core/json/json-value.ts';

export interface Change {
  /** A change with the key of another one takes its place. */
  readonly key: string;
  readonly title: string;
  /** A request of the metadata API. */
  readonly operation: object;
}

/** A request of the metadata API. */
export type Request = readonly [type: string, args: object];

/** One request, or a bulk of several. Only an equal change takes its place, unless `key` says which else. */
export function changeOf(title: string, requests: readonly Request[], key?: string): Change {
  const all = requests.map(([type, args]) => ({ type, args }));
  const operation = all.length === 1 ? all[0]! : { type: 'bulk', args: all };
  return { key: key ?? `${title} ${jsonText(operation)}`, title, operation };
}
