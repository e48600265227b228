/**
 * A database with columns of many types, arrays of them, an enum table, views, and tracked functions as root fields of both
 * kinds: what random requests are sent to. Rows stay few, so that every operand meets a row.
 */
import type { JsonObject } from '../../../runtime/metadata/metadata.ts';
import { defaultSource } from '../../harness/metadata.ts';

const TYPES = [
  'smallint',
  'integer',
  'bigint',
  'numeric',
  'numeric(6, 2)',
  'money',
  'real',
  'double precision',
  'boolean',
  'text',
  'varchar(3)',
  'char(2)',
  'name',
  'citext',
  'uuid',
  'date',
  'time',
  'timetz',
  'timestamp',
  'timestamptz',
  'interval',
  'json',
  'jsonb',
  'jsonpath',
  'bytea',
  'inet',
  'cidr',
  'macaddr',
  'bit(3)',
  'varbit',
  'int4range',
  'tstzrange',
  'int4multirange',
  'tsvector',
  'tsquery',
  'xml',
  'point',
  'ltree',
  'lquery',
  'ltxtquery',
  'hstore',
  'mood',
  'small',
  'pair',
] as const;
const ARRAYS = [
  'integer',
  'numeric',
  'text',
  'varchar(3)',
  'uuid',
  'jsonb',
  'timestamptz',
  'mood',
  'ltree',
  'hstore',
  'small',
  'int4range',
];

const columnOf = (type: string) => `c_${type.replaceAll(/\W+/g, '_').replace(/_$/, '')}`;

export const worldSql = `
create extension citext; create extension ltree; create extension hstore;
create type mood as enum ('sad', 'ok', 'happy');
create domain small as integer check (value < 10);
create type pair as (a integer, b text);
create table color (value text primary key, comment text);
create table wide (id serial primary key, color text references color, ${TYPES.map((type) => `${columnOf(type)} ${type}`).join(', ')});
create table many (id serial primary key, wide_id integer references wide, ${ARRAYS.map((type) => `${columnOf(type)}s ${type}[]`).join(', ')});
create unique index many_pair on many (wide_id, c_integers);
create view wide_view as select id, color, c_text, c_jsonb, c_ltree, c_numeric from wide;
create function wide_plus(w wide, n integer, names text[] default '{}') returns numeric language sql stable as $$ select w.c_numeric + n + cardinality(names) $$;
create function wide_manies(w wide, above integer default 0) returns setof many language sql stable as $$ select * from many where wide_id = w.id and id > above $$;
create function wide_lists(w wide) returns integer[] language sql stable as $$ select array[w.id, w.c_integer] $$;
create function find_wide(texts text[], path ltree default null, doc jsonb default null) returns setof wide language sql stable
  as $$ select * from wide where (c_text = any (texts)) or c_ltree <@ path or c_jsonb @> doc $$;
create function one_wide(key integer) returns wide language sql stable as $$ select * from wide where id = key $$;
create function by_type(integer, m mood default 'ok', r int4range default null, h hstore default null, p pair default null) returns setof many
  language sql stable as $$ select * from many where id <> $1 $$;
create function made(name text, keys integer[]) returns setof wide language sql volatile
  as $$ insert into wide (c_text, c_integer) select made.name, k from unnest(keys) k returning * $$;
`;

/** Puts the rows back as they were at the beginning. */
export const resetSql = `
delete from many; delete from wide; delete from color;
insert into color values ('red', 'warm'), ('blue', null);
insert into wide (id, color, c_smallint, c_integer, c_bigint, c_numeric, c_text, c_citext, c_uuid, c_date, c_timestamptz, c_jsonb, c_json, c_tsvector,
    c_ltree, c_hstore, c_mood, c_small, c_pair)
  values (1, 'red', 1, 2147483647, 9223372036854775807, 1e100, 'a\\', 'A', '11111111-1111-4111-8111-111111111111', '2020-01-12', 'infinity',
    '{"a": {"b": [1, null]}}', '[1]', 'a b', 'a.b', 'a=>1', 'ok', 3, '(1,x)');
insert into wide (id) values (2);
insert into many (id, wide_id, c_integers, c_numerics, c_texts, c_uuids, c_jsonbs, c_moods, c_ltrees)
  values (1, 1, '{1,2}', '{1.5,NULL}', '{a,"b\\\\"}', '{}', '{null}', '{ok}', '{a.b}'), (2, 1, '{{1,2},{3,4}}', null, '{{a},{b}}', null, null, null, null),
    (3, null, null, null, null, null, null, null, null);
select setval('wide_id_seq', 100), setval('many_id_seq', 100);
`;

const EVERYTHING = { columns: '*', filter: {}, allow_aggregations: true };
const OWN = { id: { _lte: 100 } };

/** Metadata for roles `user` (everything) and `admin`. */
export function worldMetadata(camel: boolean): JsonObject {
  const write = { columns: '*', check: OWN, filter: OWN };
  const permissions = (computed: readonly string[] = []) => ({
    select_permissions: [{ role: 'user', permission: { ...EVERYTHING, computed_fields: computed } }],
    insert_permissions: [{ role: 'user', permission: { columns: '*', check: OWN } }],
    update_permissions: [{ role: 'user', permission: write }],
    delete_permissions: [{ role: 'user', permission: { filter: OWN } }],
  });
  return {
    version: 3,
    sources: [
      defaultSource({
        ...(camel && { customization: { naming_convention: 'graphql-default' } }),
        tables: [
          { table: 'color', is_enum: true },
          {
            table: 'wide',
            array_relationships: [
              { name: 'manies', using: { foreign_key_constraint_on: { table: 'many', column: 'wide_id' } } },
            ],
            computed_fields: [
              { name: 'plus', definition: { function: 'wide_plus' } },
              { name: 'lists', definition: { function: 'wide_lists' } },
              { name: 'some', definition: { function: 'wide_manies' } },
            ],
            ...permissions(['plus', 'lists']),
          },
          {
            table: 'many',
            object_relationships: [{ name: 'wide', using: { foreign_key_constraint_on: 'wide_id' } }],
            ...permissions(),
          },
          {
            table: 'wide_view',
            select_permissions: [{ role: 'user', permission: EVERYTHING }],
          },
        ],
        functions: [
          { function: 'find_wide' },
          { function: 'one_wide' },
          { function: 'by_type' },
          { function: 'made', permissions: [{ role: 'user' }] },
        ],
      }),
    ],
  };
}
