-- The configuration and common functions of pg_partman, by name and signature. No partition is made.
create table part_config (parent_table text primary key, control text, partition_interval text, partition_type text, premake integer default 4,
  automatic_maintenance text default 'on', template_table text, retention text, retention_schema text,
  retention_keep_table boolean default true, retention_keep_index boolean default true, infinite_time_partitions boolean default false,
  datetime_string text, jobmon boolean default true, inherit_privileges boolean default false, ignore_default_data boolean default true);
create function create_parent(p_parent_table text, p_control text, p_interval text, p_type text default 'range', p_epoch text default 'none',
  p_premake integer default 4, p_start_partition text default null, p_default_table boolean default true,
  p_automatic_maintenance text default 'on', p_constraint_cols text[] default null, p_template_table text default null,
  p_jobmon boolean default true, p_date_trunc_interval text default null, p_control_not_null boolean default true)
  returns boolean language sql as 'select true';
create function run_maintenance(p_parent_table text default null, p_analyze boolean default false, p_jobmon boolean default true)
  returns void language sql as '';
create procedure run_maintenance_proc(p_wait integer default 0, p_analyze boolean default null, p_jobmon boolean default true)
  language sql as '';
