/**
 * What a database says against statements about this program's own objects, those of the schema engine_catalog: which object is not
 * as it should be, and what to do. Somebody else may have made one, or taken rights away.
 */

import pg from 'pg';
import { EngineError } from '../core/errors.ts';
import type { QueryClient } from './query-client.ts';

/**
 * Makes the schema where it is missing. `if not exists` alone asks for the right to create schemas in the database even if it is
 * there, and a role may own the schema without that right. Citus would spread the schema over its nodes where it does that to each
 * new one: it takes no triggers there. To other databases the setting has no meaning.
 */
export const OWN_SCHEMA = `do $engine$ begin
  if pg_catalog.to_regnamespace('engine_catalog') is null then
    perform pg_catalog.set_config('citus.enable_schema_based_sharding', 'off', true);
    create schema if not exists engine_catalog;
  end if;
end $engine$;`;

/** SQLSTATE of a missing right. */
const MISSING_RIGHT = '42501';

/** Classes of errors by which an object has another kind, shape or content than the statement expects. */
const MISFIT = /^(?:0A|22|23|42|55000)/;

const OWN = /engine_catalog\.(?:"(?<quoted>(?:[^"]|"")+)"|(?<word>\w+))/g;

/** The client; errors of its statements name the object. */
export function namingOwnObjects<
  Client extends { query(text: string, values?: readonly unknown[]): unknown },
>(client: Client): Client {
  const query = async (text: string, values?: readonly unknown[]) => {
    try {
      return await client.query(text, values);
    } catch (error) {
      if (error instanceof pg.DatabaseError) error.message = explained(text, error);
      throw error;
    }
  };
  return Object.create(client, { query: { value: query } });
}

function explained(text: string, { message, hint = '', code = '', position }: pg.DatabaseError): string {
  const object = MISFIT.test(code) ? objectOf(text, `${message} ${hint}`, position) : undefined;
  if (object === undefined)
    return code === MISSING_RIGHT && / for database /.test(message)
      ? `${message}: have its owner run "create schema engine_catalog authorization" for the database role of the server`
      : message;
  return code === MISSING_RIGHT
    ? `${message}: make the database role of the server the owner of ${object}, or grant it every right on it`
    : notOurs(object, message);
}

/** The object that the message names, else the one nearest to the place of the error. Another message names an object of the user's. */
function objectOf(text: string, message: string, position: string | undefined): string | undefined {
  const named = [...text.matchAll(OWN)].map(({ index, groups }) => ({
    index,
    name: groups!.quoted?.replaceAll('""', '"') ?? groups!.word!,
  }));
  const inMessage = named.find(({ name }) => new RegExp(`(?<!\\w)${escaped(name)}(?!\\w)`).test(message));
  const before =
    position === undefined ? undefined : named.filter(({ index }) => index < Number(position)).at(-1);
  const found = inMessage ?? before ?? (position === undefined ? undefined : named[0]);
  if (/ schema "?engine_catalog/.test(message)) return 'the schema engine_catalog';
  return found && `engine_catalog.${found.name}`;
}

function escaped(text: string): string {
  return text.replace(/[^\w]/g, '\\$&');
}

function notOurs(object: string, reason: string): string {
  return `${object} is not what this server keeps there (${reason}): if another program made it, rename it or move it to another schema`;
}

/** Tables that a text creates unless they are there. */
const CREATED = /create table if not exists engine_catalog\.(\w+) \(([\s\S]*?)\n?\s*\)\s*(?:;|$)/g;

/** What a relation can be instead of a table, by `relkind`. */
const KINDS: Readonly<Record<string, string>> = {
  v: 'a view',
  m: 'a materialized view',
  S: 'a sequence',
  i: 'an index',
  I: 'an index',
  f: 'a foreign table',
  c: 'a type',
};

/**
 * Runs a text that creates tables where they are missing, and makes sure that those which were there are such tables. After a failure the
 * transaction is rolled back.
 * @throws pg.DatabaseError, EngineError that names the object that is not as it should be
 */
export async function createOwnTables(client: QueryClient, text: string): Promise<void> {
  let failure: unknown;
  try {
    await client.query(text);
  } catch (error) {
    failure = error;
    await client.query('rollback').catch(() => {});
  }
  if (failure !== undefined && !(failure instanceof pg.DatabaseError && MISFIT.test(failure.code ?? '')))
    throw failure;
  const misfit = await misfitOf(client, text);
  if (misfit !== undefined) throw new EngineError('postgres-error', misfit, { cause: failure });
  if (failure !== undefined) throw failure;
}

async function misfitOf(client: QueryClient, text: string): Promise<string | undefined> {
  const expected = [...text.matchAll(CREATED)].map(([, name, body]) => ({
    name: name!,
    columns: [...body!.matchAll(/(?:^|\n)\s*(\w+) (?!key\b)/g)]
      .map(([, column]) => column!)
      .filter((column) => !/^(?:primary|unique|check|constraint|foreign)$/.test(column)),
  }));
  const { rows } = await client.query(
    `select c.relname as name, c.relkind as kind, array(
       select a.attname::text from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     ) as columns
     from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'engine_catalog' and c.relname = any ($1)`,
    [expected.map(({ name }) => name)],
  );
  for (const { name, columns } of expected) {
    const found = rows.find((row) => row.name === name);
    if (!found) continue;
    const object = `engine_catalog.${name}`;
    if (KINDS[found.kind] !== undefined) return notOurs(object, `it is ${KINDS[found.kind]}, not a table`);
    const missing = columns.find((column) => !found.columns.includes(column));
    if (missing !== undefined) return notOurs(object, `it has no column "${missing}"`);
  }
  return undefined;
}
