-- A lending library of tools, run by several branches; deliberately odd.
create schema shop;
create schema "Archive";
create type shop.condition as enum ('new','used','broken');
create domain shop.email as text check (value ~ '@');
create table shop.branch (id int generated always as identity primary key, "Name" text not null, opened date, geo point);
create table shop."Member" (id uuid primary key default gen_random_uuid(), branch_id int not null references shop.branch, mail shop.email unique, full_name text not null, "class" text, password_hash text, deleted_at timestamptz, joined timestamptz default now());
create table shop.tool (code varchar(12) primary key, branch_id int not null references shop.branch, title text not null, cond shop.condition not null default 'new', price numeric(10,2), tags text[] not null default '{}', meta jsonb, bought tstzrange, deleted_at timestamptz);
create table shop.loan (tool_code varchar(12) references shop.tool, member_id uuid references shop."Member", "from" date not null, "to" date, fee numeric(8,2), fee_tax numeric(8,2) generated always as (fee * 0.19) stored, primary key (tool_code, member_id, "from"));
create table shop.fine (id bigserial primary key, tool_code varchar(12), member_id uuid, loan_from date, cents bigint not null check (cents > 0), paid boolean default false, foreign key (tool_code, member_id, loan_from) references shop.loan (tool_code, member_id, "from"));
create table shop.friend (a uuid references shop."Member", b uuid references shop."Member", since date, primary key (a,b));
create table shop."order items" (id serial primary key, member_id uuid references shop."Member", "unit price" numeric, qty int);
create table shop."2fa" (member_id uuid primary key references shop."Member", secret bytea, "__typename" text);
create table shop.log (at timestamptz default now(), line text);                       -- no key
create table shop.loan_state (value text primary key, comment text);                    -- enum table
create table shop.measurement (id bigint, at timestamptz not null, v double precision, primary key (id, at)) partition by range (at);
create table shop.measurement_2026 partition of shop.measurement for values from ('2026-01-01') to ('2027-01-01');
create table "Archive"."Member" (id uuid primary key, full_name text, left_at timestamptz);
create table public.category (id serial primary key, parent_id int references public.category, label text not null);
create view shop.open_loan as select l.*, t.title from shop.loan l join shop.tool t on t.code = l.tool_code where l."to" is null;
create materialized view shop.stats as select branch_id, count(*) n from shop.tool group by 1;
create function shop.member_loans(m shop."Member") returns bigint language sql stable as $$ select count(*) from shop.loan where member_id = m.id $$;
create function shop.search_tool(q text) returns setof shop.tool language sql stable security definer as $$ select * from shop.tool where title ilike '%'||q||'%' $$;
