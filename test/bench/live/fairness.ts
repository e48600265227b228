/** L14: how soon a client gets what was written beside another one that has as many subscriptions as it can. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Clients } from './clients.ts';
import { percentiles } from './measure.ts';
import { item, type Rig } from './rig.ts';

/** Subscriptions of the other client. */
const FLOOD = 1500;
/** Those of the one whose time is taken. */
const OWN = 10;
const ROLES = ['tenant', 'visitor'];

/** With values that Postgres refuses, each another one. */
const failing = (index: number) => matching(index, `(${index}`);
const matching = (index: number, pattern: string) =>
  `item(where: {id: {_eq: ${index + 1}}, filler: {_regex: ${JSON.stringify(pattern)}}}) { n }`;
/** Each a statement of its own. */
const different = (index: number) =>
  `item(where: {id: {_lt: ${100 + index}}}, order_by: {id: asc}, limit: 20) { n a${index}: id }`;

export async function measureFairness(rig: Rig): Promise<void> {
  for (const role of ROLES)
    await rig.metadata('pg_create_select_permission', {
      table: 'item',
      role,
      permission: { columns: '*', filter: {} },
    });
  // One of the same role with the same statement, and one of another role.
  const neighbour = rig.anotherClient({ 'x-engine-role': 'visitor', 'x-engine-user-id': '1' });
  await neighbour.subscribe(1, OWN, (index) => matching(index, '^x'));
  const tenant = rig.anotherClient({ 'x-engine-role': 'tenant', 'x-engine-user-id': '2' });
  await tenant.subscribe(1, OWN, item);
  await delay(1500);
  const near = await latencies(rig, neighbour);
  const far = await latencies(rig, tenant);
  const beside = async (what: string, field: (index: number) => string, own: Clients, idle: typeof near) => {
    const flood = rig.anotherClient({ 'x-engine-role': 'visitor' });
    await flood.flood(FLOOD, field);
    // The first reads of the flood are within what is measured.
    const flooded = await latencies(rig, own);
    await flood.close();
    const ratio = flooded.p99 / idle.p99;
    rig.note({
      id: 'L14',
      what,
      value: `${flooded.text}; p99 ${ratio.toFixed(2)} of that without (${idle.text})`,
      goal: 'p99 ≤ 2 times that without',
      isMet: ratio <= 2,
    });
    await delay(2000);
  };
  await beside(`beside ${FLOOD} that fail, of the same query`, failing, neighbour, near);
  await beside(`beside ${FLOOD} that fail, of another role`, failing, tenant, far);
  await beside(`beside ${FLOOD} different ones, of the same role`, different, neighbour, near);
  await beside(`beside ${FLOOD} different ones, of another role`, different, tenant, far);
  for (const client of [neighbour, tenant]) await client.close();
}

async function latencies(rig: Rig, clients: Clients): Promise<ReturnType<typeof percentiles>> {
  return percentiles(await clients.latencies(150, 50, OWN, (index) => rig.update(index)));
}
