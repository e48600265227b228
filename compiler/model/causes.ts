/** What holds for a role, or follows from what it does, outside its permissions: for ledgers and audits. */

import type { EventsProgram } from '../../runtime/core/contract/events.ts';
import type { TableShape } from '../../runtime/core/contract/shapes.ts';
import { shownText } from '../../runtime/core/environment-template.ts';
import { objectKey } from '../../runtime/core/names.ts';
import { type ApiLimits, limitOfRole } from '../../runtime/core/settings.ts';
import { deletionOf } from './deletions.ts';

/** Without it every role may ask for everything of every remote schema. */
export const CLOSING_OPTION = '--enable-remote-schema-permissions';
export const OPEN_REMOTE = `every field, unless the server has ${CLOSING_OPTION}`;
export const DEFINER = 'runs with the rights of its owner (security definer)';

/** Limits of requests that a role has, a phrase each. */
export function limitFacts(limits: ApiLimits | undefined, role: string): string[] {
  if (!limits || limits.disabled) return [];
  const { depth_limit, node_limit, batch_limit, time_limit, rate_limit } = limits;
  const fact = (value: number | undefined, text: string) => (value === undefined ? [] : [`${text} ${value}`]);
  const rate = limitOfRole(rate_limit, role);
  const by = rate?.unique_params;
  const counted =
    by === undefined ? 'together' : by === 'IP' ? 'for each address' : `for each ${by.join(', ')}`;
  return [
    ...fact(limitOfRole(depth_limit, role), 'depth'),
    ...fact(limitOfRole(node_limit, role), 'nodes'),
    ...fact(limitOfRole(batch_limit, role), 'requests of a batch'),
    ...fact(limitOfRole(time_limit, role), 'seconds'),
    ...(rate ? [`requests a minute ${rate.max_reqs_per_min}, ${counted}`] : []),
  ];
}

/**
 * Events that writes to a table cause, those of rows that foreign keys delete or change with it as well: a phrase each.
 * @param shapes tables of the source by key
 */
export function eventFacts(
  { sources }: EventsProgram,
  source: string,
  key: string,
  operation: 'insert' | 'update' | 'delete',
  shapes: ReadonlyMap<string, TableShape>,
): string[] {
  const triggers = sources.find((each) => each.source === source)?.triggers ?? [];
  if (triggers.length === 0) return [];
  const { deleted, changed } =
    operation === 'delete' ? deletionOf(key, shapes) : { deleted: [], changed: [] as readonly string[] };
  const causes: (readonly [table: string, operation: string])[] = [
    [key, operation],
    ...deleted.map((table) => [table, 'delete'] as const),
    ...changed.map((table) => [table, 'update'] as const),
  ];
  return triggers.flatMap(({ name, table, captures, delivery: { webhook } }) => {
    const on = objectKey(table.schema, table.name);
    const isCaused = causes.some(
      ([each, kind]) => each === on && captures.some((capture) => capture.operation === kind.toUpperCase()),
    );
    const address = shownText(webhook);
    return isCaused
      ? [`causes event ${name}${on === key ? '' : ` of ${on}`}, sent to ${JSON.stringify(address)}`]
      : [];
  });
}
