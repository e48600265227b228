/** What writes of a role do: mutations as clients send them, and every row of the database that is another afterwards. */

import type pg from 'pg';
import { type AccessRules, inferableKeys, type TableShape } from '../../../runtime/core/contract/shapes.ts';
import type { Program } from '../../../runtime/core/program/program.ts';
import { literalText } from '../../../runtime/core/remotes/text.ts';
import { createPlanner } from '../../../runtime/core/request/planner.ts';
import { CANONICAL } from '../../../runtime/core/vocabulary.ts';
import type { SourceConnection } from '../../../runtime/database/source.ts';
import { executeData } from '../../../runtime/graphql/execute.ts';
import { SERVING } from '../../harness/compile.ts';
import type { Random } from '../random.ts';
import { type Operation, randomRow, type TableName, type Variables, WRITTEN } from './world.ts';

/** By mutation: what it does, `refused` if it fails. */
export type Effects = ReadonlyMap<string, Effect>;

export interface Effect {
  readonly role: string;
  readonly table: TableName;
  /** More than one: it depends on the rows. */
  readonly operations: readonly Operation[];
  readonly does: string;
}

const REFUSED = 'refused';

export interface Write {
  readonly role: string;
  readonly table: TableName;
  readonly operations: readonly Operation[];
  readonly query: string;
}

/** Mutations that the rules of a program offer, with values that both versions get. */
export function randomWrites(random: Random, program: Program, roles: readonly string[]): Write[] {
  return forEachAccess(program, roles, ({ role, table, shape, access }) => {
    // A condition of the request sees what the role reads: masked cells by the rules of select.
    const one = (operation: Operation, query: string): Write => ({
      ...{ role, table, operations: query.includes('_eq') ? [operation, 'select'] : [operation], query },
    });
    const { select, insert, update, delete: remove } = access;
    // All rows, or one of those that the role can name.
    const where = () =>
      select?.[role]?.columns.includes('id') && random.chance(0.6)
        ? `{ id: { _eq: ${random.between(1, 4)} } }`
        : '{}';
    return [
      ...(isOffered(insert?.[role])
        ? random.list(3, () =>
            one(
              'insert',
              `mutation { insert_${table}(objects: [${given(random, table, insert![role]!.columns, 100)}]) { affected_rows } }`,
            ),
          )
        : []),
      ...inferableKeys(shape).flatMap((key) => upserts(random, role, table, access, key)),
      ...(isOffered(update?.[role]) && update[role].columns.length > 0
        ? random.list(3, () => {
            const name = random.pick(update[role]!.columns);
            const value = randomRow(random, table, random.between(1, 4))[name]!;
            return one(
              'update',
              `mutation { update_${table}(where: ${where()}, _set: ${literalText({ [name]: value })}) { affected_rows } }`,
            );
          })
        : []),
      ...(isOffered(remove?.[role])
        ? ['{}', where()].map((rows) =>
            one('delete', `mutation { delete_${table}(where: ${rows}) { affected_rows } }`),
          )
        : []),
    ];
  });
}

/** Upserts by keys that only the later program has: the earlier one refuses them. */
export function newUpserts(
  random: Random,
  before: Program,
  after: Program,
  roles: readonly string[],
): Write[] {
  return forEachAccess(after, roles, ({ role, table, shape, access }) => {
    const was = before.tables.find((each) => each.shape.name === table)?.shape;
    const known = was ? inferableKeys(was) : [];
    return inferableKeys(shape)
      .filter((key) => !known.includes(key))
      .flatMap((key) => upserts(random, role, table, access, key));
  });
}

interface Offer {
  readonly role: string;
  readonly table: TableName;
  readonly shape: TableShape;
  readonly access: AccessRules;
}

function forEachAccess(
  program: Program,
  roles: readonly string[],
  write: (offer: Offer) => readonly Write[],
): Write[] {
  return roles.flatMap((role) =>
    WRITTEN.flatMap((table) => {
      const found = program.tables.find(({ shape }) => shape.name === table);
      return found ? write({ role, table, shape: found.shape, access: program.access(found) }) : [];
    }),
  );
}

function isOffered<Rule extends { readonly backendOnly?: true }>(rule: Rule | undefined): rule is Rule {
  return rule !== undefined && !rule.backendOnly;
}

function given(random: Random, table: TableName, columns: readonly string[], number: number): string {
  return literalText(
    Object.fromEntries(
      Object.entries(randomRow(random, table, number)).filter(
        ([name]) => columns.includes(name) && random.chance(0.85),
      ),
    ),
  );
}

function upserts(
  random: Random,
  role: string,
  table: TableName,
  { insert, update }: AccessRules,
  key: string,
): Write[] {
  if (!isOffered(insert?.[role]) || !isOffered(update?.[role])) return [];
  return random.list(2, () => {
    const columns = random.some(update[role]!.columns, 0.5);
    const row = given(random, table, insert[role]!.columns, random.between(1, 4));
    return {
      ...{ role, table, operations: ['insert', 'update'] },
      query: `mutation { insert_${table}(objects: [${row}], on_conflict: { constraint: ${key}, update_columns: [${columns.join(', ')}] }) { affected_rows } }`,
    };
  });
}

/** @param restore puts the rows back, as they were before any write */
export async function effectsOf(
  writes: readonly Write[],
  program: Program,
  variables: Variables,
  connection: SourceConnection,
  client: pg.Client,
  restore: () => Promise<void>,
): Promise<Effects> {
  const execution = { planner: createPlanner(program, SERVING), sources: new Map([['default', connection]]) };
  const effects = new Map<string, Effect>();
  const rowsNow = await createRowReader(client);
  let before = await rowsNow();
  for (const { role, table, operations, query } of writes) {
    const session = {
      vocabulary: CANONICAL,
      role,
      backendOnly: false,
      variables: { 'x-engine-role': role, ...variables },
    };
    let answer: string | undefined;
    try {
      answer = await executeData({ query }, session, execution);
    } catch {
      // Refused by a rule or by the database.
    }
    const after = answer === undefined ? before : await rowsNow();
    const does =
      answer === undefined ? REFUSED : `${answer} ${beyond(after, before)} ${beyond(before, after)}`;
    effects.set(`${role} ${query}`, { role, table, operations, does });
    if (answer === undefined) continue;
    try {
      await restore();
    } catch {
      // The database no longer takes the rows that it had: what comes after would begin with others.
      break;
    }
    before = await rowsNow();
  }
  return effects;
}

/**
 * Reads every row of every table, as `table: row`. Numbers in the log say in which order a plan found the rows, so they are
 * left out. So are generated columns: what they show is a matter of those who read them.
 */
async function createRowReader(client: pg.Client): Promise<() => Promise<string[]>> {
  const { rows: tables } = await client.query(
    `select format('select %L || row(%s)::text as row from only public.%I', c.relname || ': ', string_agg(quote_ident(a.attname), ', ' order by a.attnum), c.relname) as query
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and (c.relname <> 'log' or a.attname <> 'id')
    group by c.relname`,
  );
  const text = `${tables.map(({ query }) => query).join(' union all ')} order by 1`;
  return async () => (await client.query(text)).rows.map(({ row }) => row);
}

function beyond(some: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return some.filter((row) => !known.has(row));
}

/** Writes that do more or other things than before: what is refused now is not among them. */
export function otherEffects(before: Effects, after: Effects): Effect[] {
  return [...after].flatMap(([query, effect]) => {
    const was = before.get(query)?.does ?? REFUSED;
    return effect.does !== REFUSED && was !== effect.does ? [effect] : [];
  });
}

/** Writes that are refused now. */
export function refusedNow(before: Effects, after: Effects): Effect[] {
  return [...after].flatMap(([query, effect]) =>
    effect.does === REFUSED && before.has(query) && before.get(query)!.does !== REFUSED ? [effect] : [],
  );
}
