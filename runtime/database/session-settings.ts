/**
 * Settings of a session that our SQL relies on, whatever the database, the role or the client that had the session before has
 * set. Everything else (time zone, order of day and month, interval style, limits) stays as it is set. Names in these
 * statements are qualified: before the first of them has run, the search path may find others.
 * @rule Which settings does a session need?
 */

/** A setting, and the SQL of its value. */
type Setting = readonly [name: string, value: string];

/**
 * PostgreSQL's own functions, operators and types are found before others that are called like them and take the same
 * types: `pg_catalog` goes first, which it does where a search path does not name it.
 */
const SEARCH_PATH: Setting = [
  'search_path',
  `coalesce((
    select pg_catalog.string_agg(part[1], ', ' order by position)
    from pg_catalog.regexp_matches(pg_catalog.current_setting('search_path'), '"(?:[^"]|"")*"|[^,[:space:]"]+', 'g')
      with ordinality as parts (part, position)
    where pg_catalog.btrim(pg_catalog.lower(part[1]), '"') operator(pg_catalog.<>) 'pg_catalog'
  ), '')`,
];

/**
 * A value that goes through a text comes back as it was: floats with all their digits, times with the offset of their zone,
 * whose name may be another zone's as well, nulls of arrays as nulls, and XML that is no document. Statements of a mutation
 * keep rows as texts, and rows to insert come as arrays. Definitions that PostgreSQL prints have the quotes that names need,
 * so that they are the same texts for the same definitions.
 */
const EXACT_TEXTS: readonly Setting[] = [
  ['datestyle', `'iso'`],
  ['array_nulls', `'on'`],
  ['extra_float_digits', `'1'`],
  ['xmloption', `'content'`],
  ['quote_all_identifiers', `'off'`],
];

/** A statement that sets them. @param isLocal for a transaction only */
function settingStatement(isLocal: boolean): string {
  const set = ([name, value]: Setting) => `pg_catalog.set_config('${name}', ${value}, ${isLocal})`;
  return `select ${[SEARCH_PATH, ...EXACT_TEXTS].map(set).join(',\n  ')}`;
}

/** Goes ahead of everything else in a session. */
export const SESSION_SETTINGS = settingStatement(false);

/** Goes ahead of the statements of each transaction where a pooler may give it another session. */
export const TRANSACTION_SETTINGS = settingStatement(true);

/**
 * Compiling a statement to machine code takes longer than nearly every request, and its result is not kept for the next
 * execution. It stays on if it was switched on for the database or the user.
 */
export const NO_JIT = `case when (select source from pg_catalog.pg_settings where name = 'jit') in ('default', 'configuration file')
  then pg_catalog.set_config('jit', 'off', false) end`;
