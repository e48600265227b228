-- Types and functions of TimescaleDB, by name and signature. Hypertables stay ordinary tables.
create schema _timescaledb_internal;
create type _timescaledb_internal.dimension_info as (column_name name, partitions integer);
create function by_range(column_name name, partition_interval anyelement default null::bigint, partition_func regproc default null)
  returns _timescaledb_internal.dimension_info language sql as 'select null::_timescaledb_internal.dimension_info';
create function by_hash(column_name name, number_partitions integer, partition_func regproc default null)
  returns _timescaledb_internal.dimension_info language sql as 'select null::_timescaledb_internal.dimension_info';
create function create_hypertable(relation regclass, time_column_name name, partitioning_column name default null,
  number_partitions integer default null, associated_schema_name name default null, associated_table_prefix name default null,
  chunk_time_interval anyelement default null::bigint, create_default_indexes boolean default true, if_not_exists boolean default false,
  partitioning_func regproc default null, migrate_data boolean default false, chunk_target_size text default null,
  chunk_sizing_func regproc default null, time_partitioning_func regproc default null)
  returns table (hypertable_id integer, schema_name name, table_name name, created boolean)
  language sql as 'select 1, ''public''::name, ''''::name, true';
create function create_hypertable(relation regclass, dimension _timescaledb_internal.dimension_info,
  create_default_indexes boolean default true, if_not_exists boolean default false, migrate_data boolean default false)
  returns table (hypertable_id integer, created boolean) language sql as 'select 1, true';
create function add_dimension(hypertable regclass, column_name name, number_partitions integer default null,
  chunk_time_interval anyelement default null::bigint, partitioning_func regproc default null, if_not_exists boolean default false)
  returns table (dimension_id integer, schema_name name, table_name name, column_name name, created boolean)
  language sql as 'select 1, ''public''::name, ''''::name, ''''::name, true';
create function add_dimension(hypertable regclass, dimension _timescaledb_internal.dimension_info, if_not_exists boolean default false)
  returns table (dimension_id integer, created boolean) language sql as 'select 1, true';
create function set_chunk_time_interval(hypertable regclass, chunk_time_interval anyelement, dimension_name name default null)
  returns void language sql as '';
create function add_retention_policy(relation regclass, drop_after "any" default null, if_not_exists boolean default false,
  schedule_interval interval default null, initial_start timestamptz default null, timezone text default null,
  drop_created_before interval default null) returns integer language internal as 'pg_backend_pid';
create function add_compression_policy(hypertable regclass, compress_after "any" default null, if_not_exists boolean default false,
  schedule_interval interval default null, initial_start timestamptz default null, timezone text default null,
  compress_created_before interval default null) returns integer language internal as 'pg_backend_pid';
create procedure add_columnstore_policy(hypertable regclass, after "any" default null, if_not_exists boolean default false,
  schedule_interval interval default null, initial_start timestamptz default null, timezone text default null,
  created_before interval default null) language internal as 'pg_backend_pid';
create function add_continuous_aggregate_policy(continuous_aggregate regclass, start_offset "any", end_offset "any",
  schedule_interval interval, if_not_exists boolean default false, initial_start timestamptz default null, timezone text default null)
  returns integer language internal as 'pg_backend_pid';
create function add_reorder_policy(hypertable regclass, index_name name, if_not_exists boolean default false,
  initial_start timestamptz default null, timezone text default null) returns integer language sql as 'select 1';
create function remove_retention_policy(relation regclass, if_exists boolean default false) returns void language sql as '';
create function remove_compression_policy(hypertable regclass, if_exists boolean default false) returns boolean language sql as 'select true';
create function remove_continuous_aggregate_policy(continuous_aggregate regclass, if_exists boolean default false)
  returns void language sql as '';
create procedure refresh_continuous_aggregate(continuous_aggregate regclass, window_start "any", window_end "any")
  language internal as 'pg_backend_pid';
create function add_job(proc regproc, schedule_interval interval, config jsonb default null, initial_start timestamptz default null,
  scheduled boolean default true, check_config regproc default null, fixed_schedule boolean default true, timezone text default null)
  returns integer language sql as 'select 1';
create function time_bucket(bucket_width interval, ts timestamptz) returns timestamptz language sql immutable parallel safe
  as 'select date_bin($1, $2, ''2000-01-03'')';
create function time_bucket(bucket_width interval, ts timestamp) returns timestamp language sql immutable parallel safe
  as 'select date_bin($1, $2, ''2000-01-03'')';
create function time_bucket(bucket_width interval, ts date) returns date language sql immutable parallel safe as 'select $2';
create function time_bucket(bucket_width interval, ts timestamptz, timezone text, origin timestamptz default null, "offset" interval default null)
  returns timestamptz language sql immutable parallel safe as 'select $2';
create function time_bucket(bucket_width interval, ts timestamptz, origin timestamptz) returns timestamptz language sql immutable parallel safe
  as 'select date_bin($1, $2, $3)';
create function time_bucket(bucket_width integer, ts integer) returns integer language sql immutable parallel safe as 'select $2 / $1 * $1';
create function time_bucket(bucket_width bigint, ts bigint) returns bigint language sql immutable parallel safe as 'select $2 / $1 * $1';
create function time_bucket_gapfill(bucket_width interval, ts timestamptz, start timestamptz default null, finish timestamptz default null)
  returns timestamptz language sql immutable parallel safe as 'select $2';
create function locf(value anyelement) returns anyelement language sql immutable as 'select $1';
create function interpolate(value double precision) returns double precision language sql immutable as 'select $1';
create function stub_pick(state anyelement, value anyelement, at "any") returns anyelement language internal immutable as 'int4larger';
create aggregate first(anyelement, "any") (sfunc = stub_pick, stype = anyelement);
create aggregate last(anyelement, "any") (sfunc = stub_pick, stype = anyelement);
