/**
 * What every Supabase project has before its first migration. Only names and types count: functions answer null, and there are the
 * tables and columns that migrations refer to.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What a statement's error says is missing. */
export const MISSING_IN_SUPABASE =
  /^(?:schema|publication) "(auth|extensions|graphql_public|realtime|storage|supabase_realtime)" does not exist$/;

/** Whether a migration is one of Supabase's command line: its folder is beside the project's configuration. */
export function isOfSupabase(migration: string): boolean {
  return existsSync(join(dirname(dirname(migration)), 'config.toml'));
}

/** @param database quoted */
export function supabaseSql(database: string): string {
  return `
create schema if not exists auth;
create schema if not exists extensions;
create schema if not exists graphql_public;
create schema if not exists realtime;
create schema if not exists storage;
create extension if not exists pgcrypto with schema extensions;
create extension if not exists "uuid-ossp" with schema extensions;
alter database ${database} set search_path = "$user", public, extensions;
create table if not exists auth.users (
  instance_id uuid, id uuid primary key, aud varchar(255), role varchar(255), email varchar(255), encrypted_password varchar(255),
  invited_at timestamptz, last_sign_in_at timestamptz, raw_app_meta_data jsonb, raw_user_meta_data jsonb, is_super_admin boolean,
  created_at timestamptz, updated_at timestamptz, phone text unique, confirmed_at timestamptz, email_confirmed_at timestamptz,
  phone_confirmed_at timestamptz, banned_until timestamptz, deleted_at timestamptz, is_sso_user boolean not null default false,
  is_anonymous boolean not null default false
);
create or replace function auth.uid() returns uuid language sql stable as 'select null::uuid';
create or replace function auth.role() returns text language sql stable as 'select null::text';
create or replace function auth.email() returns text language sql stable as 'select null::text';
create or replace function auth.jwt() returns jsonb language sql stable as 'select null::jsonb';
create table if not exists storage.buckets (
  id text primary key, name text not null unique, owner uuid, owner_id text, public boolean default false,
  avif_autodetection boolean default false, file_size_limit bigint, allowed_mime_types text[],
  created_at timestamptz default now(), updated_at timestamptz default now()
);
create table if not exists storage.objects (
  id uuid primary key default gen_random_uuid(), bucket_id text references storage.buckets, name text, owner uuid, owner_id text,
  metadata jsonb, user_metadata jsonb, path_tokens text[], version text,
  created_at timestamptz default now(), updated_at timestamptz default now(), last_accessed_at timestamptz default now()
);
alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;
create or replace function storage.foldername(name text) returns text[] language sql immutable as 'select null::text[]';
create or replace function storage.filename(name text) returns text language sql immutable as 'select null::text';
create or replace function storage.extension(name text) returns text language sql immutable as 'select null::text';
create or replace function realtime.topic() returns text language sql stable as 'select null::text';
create table if not exists realtime.messages (
  id uuid default gen_random_uuid(), topic text not null, extension text not null, payload jsonb, event text, private boolean default false,
  updated_at timestamp not null default now(), inserted_at timestamp not null default now(), primary key (id, inserted_at)
) partition by range (inserted_at);
do $$ begin create publication supabase_realtime; exception when duplicate_object then null; end $$;
`;
}
