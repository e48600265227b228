/**
 * What in pg_catalog shows data of any table without a mention of it: functions that run a query given as text, or read files and
 * logs; relations with values of every column. Regular expressions that PostgreSQL and JavaScript read alike.
 */
export const OPAQUE_FUNCTIONS =
  '^(query|table|schema|database|cursor)_to_xml|^ts_(stat|rewrite)$|^pg_read_|^pg_logical_slot_|^lo_';
export const OPAQUE_RELATIONS = '^pg_(stats|statistic|largeobject)';

/** Extensions with functions in C that do the same. Others work on their arguments. */
export const OPAQUE_EXTENSIONS: ReadonlySet<string> = new Set([
  'dblink',
  'tablefunc',
  'xml2',
  'pageinspect',
  'pg_walinspect',
  'file_fdw',
  'adminpack',
  'lo',
  'pg_cron',
  'postgis_tiger_geocoder',
]);
