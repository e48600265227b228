-- schema: vault
-- The tables and functions of Vault, by name and signature. Nothing is encrypted.
create table secrets (id uuid primary key default gen_random_uuid(), name text unique, description text not null default '',
  secret text not null, key_id uuid, nonce bytea, created_at timestamptz not null default now(), updated_at timestamptz not null default now());
create view decrypted_secrets as
  select id, name, description, secret, secret as decrypted_secret, key_id, nonce, created_at, updated_at from secrets;
create function create_secret(new_secret text, new_name text default null, new_description text default '', new_key_id uuid default null)
  returns uuid language sql
  as 'insert into vault.secrets (secret, name, description) values (new_secret, new_name, new_description) returning id';
create function update_secret(secret_id uuid, new_secret text default null, new_name text default null, new_description text default null,
  new_key_id uuid default null) returns void language sql as '';
