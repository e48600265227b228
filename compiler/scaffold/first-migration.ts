/** The first migration of a project that has no database yet. */
import type { MigrationFile } from '../offline/migrations.ts';

export const FIRST_MIGRATION: MigrationFile = {
  path: 'migrations/1_first/up.sql',
  text: `-- Files in this folder are applied once, in the order of their numbers.
create table users (
  id uuid primary key default gen_random_uuid(),
  name text not null
);

create table notes (
  id bigint generated always as identity primary key,
  user_id uuid not null references users on delete cascade,
  title text not null,
  body text not null default '',
  created_at timestamptz not null default now()
);

create index on notes (user_id);
`,
};
