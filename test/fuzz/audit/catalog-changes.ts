/** Random changes of a database below the same metadata, as SQL on the schema of `world.ts`. */
import type { Random } from '../random.ts';
import { NEUTRAL } from './layers.ts';

export interface CatalogChange {
  readonly sql: string;
  /** It changes nothing that a session reads or writes, whatever the rows. */
  readonly isNeutral?: true;
  /** Stored values have other names, or are gone: rows to write cannot be told to be the same. */
  readonly movesValues?: true;
}

const STATES = [`s = 'open'`, `s = 'closed'`, `s <> 'open'`, 'true', 'false', 'null::boolean'];
const CONDITIONS = ['level is not null', `state = 'open'`, 'tenant = 1', 'true', 'owner_id is null'];
const SWAPS = [
  ['item', 'state', 'secret'],
  ['item', 'owner_id', 'reviewer_id'],
  ['person', 'name', 'secret'],
  ['team', 'name', 'secret'],
] as const;

const GONE = [
  'alter table person drop column mood',
  'alter table label drop column weight cascade',
  'alter table team drop column secret',
  'alter table person drop column active; alter table person add column active boolean not null default true',
];

type Make = (random: Random, account: string) => string;

/** Changes by kind. Some of the variants of a kind change nothing. */
const CHANGES: Readonly<Record<string, Make>> = {
  'the function below rules, views and checks': (random) =>
    `create or replace function is_open(s text) returns boolean language sql immutable as $$ select ${random.pick(STATES)} $$`,
  'a view below a view': (random) =>
    `create or replace view some_item as select id, tenant, owner_id, reviewer_id, state, level, facts, secret, shown from item where ${random.pick(CONDITIONS)}`,
  'a view': (random) =>
    `create or replace view open_item as select id, tenant, owner_id, ${random.pick(['secret', 'state', 'null::text'])} as title from some_item where is_open(${random.pick(['shown', 'state'])})`,
  'a function below a computed field': (random) =>
    `create or replace function stored_secret(i item) returns text language plpgsql stable as $$ begin return ${random.pick(['i.state', 'i.secret', '(select max(secret) from person)'])}; end $$`,
  'a computed field': (random) =>
    `create or replace function item_state(item) returns text language sql stable as $$ select ${random.pick(['$1.secret', '$1.shown', 'null::text'])} $$`,
  'computed rows': (random) =>
    `create or replace function item_peers(item) returns setof item language sql stable as $$ select * from item where ${random.pick(['owner_id = $1.owner_id', 'tenant = $1.tenant', 'false', 'id <> $1.id'])} $$`,
  'a view below a function': (random) =>
    `create or replace view visible_item as select id, tenant, owner_id, reviewer_id, state, level, facts, secret, shown from item where ${random.pick(CONDITIONS)}`,
  'a tracked function': (random) =>
    `create or replace function all_items() returns setof item language sql stable as $$ select * from item where ${random.pick(CONDITIONS)} $$`,
  'a child': () =>
    `insert into old_item (id, tenant, owner_id, state, secret) values (98, 1, 1, 'open', 'item-98-secret'), (99, 2, null, 'draft', 'item-99-secret'); alter table old_item add constraint known_state check (is_open(state) is not null), add constraint low_level check (level < 9); alter table old_item inherit item`,
  'a table that becomes a view': (random) =>
    `alter table person rename to person_rows; create view person as select id, tenant, team_id, mood, active, ${random.pick(['name', 'secret as name'])}, secret from person_rows where ${random.pick(['tenant = 1', 'true', 'active'])}`,
  'a view from its columns on': (random) =>
    `drop view open_item; create view open_item as select id, tenant, ${random.pick(['owner_id', 'reviewer_id as owner_id'])}, shown as title from item`,
  'a name found first': (random) =>
    random.pick([
      'create view app.visible_item as select * from public.item',
      `create table app.visible_item as select * from public.item where state = 'open'`,
      'create view app.item as select * from public.item',
    ]),
  'a trigger that refuses': (random) =>
    random.pick([
      'drop trigger guard on item',
      'alter table item disable trigger guard',
      'alter table item enable replica trigger guard',
      `create or replace function guard() returns trigger language plpgsql as $$ begin if new.${random.pick(['level = 2', 'level is null', `state = 'open'`])} then raise 'refused'; end if; return new; end $$`,
      `create or replace function guard() returns trigger language plpgsql as $$ begin new.secret := ${random.pick([`'mine'`, 'new.state', 'null'])}; return new; end $$`,
      'drop trigger guard on item; create trigger guard before insert on item for each row execute function guard()',
      `drop trigger guard on item; create trigger guard before insert or update on item for each row when (new.tenant = 1) execute function guard()`,
    ]),
  'a trigger that writes': (random) =>
    random.pick([
      'drop trigger note on item',
      'create trigger note after insert or update on person for each row execute function note()',
      `create or replace function note() returns trigger language plpgsql security definer as $$ begin ${random.pick([`insert into log (what) values ('other')`, 'delete from watcher', `update label set weight = 9`, 'perform 1'])}; return new; end $$`,
      'create rule more as on insert to log do also delete from watcher',
      `create function also() returns trigger language plpgsql as $$ begin new.what := 'changed'; return new; end $$; create trigger also before insert on log for each row execute function also()`,
    ]),
  'a default': (random) =>
    random.pick([
      `create or replace function first_name() returns text language sql as $$ select ${random.pick([`'other'`, 'null'])} $$`,
      'alter table person alter column name drop default',
      `alter table item alter column state set default 'open'`,
      'alter table item alter column tenant set default 2',
      'alter table person alter column active set default true',
      `alter domain amount set default 2; alter table log alter column amount drop default`,
    ]),
  'a sequence': (random) =>
    `alter sequence ${random.pick(['weights', 'log_id_seq'])} ${random.pick(['increment by 7', 'start with 5 restart', 'minvalue 0'])}`,
  'NOT NULL': (random) =>
    random.pick([
      'alter table item alter column tenant drop not null',
      'alter table person alter column active drop not null',
      'alter table log alter column what set not null',
      'alter table team alter column name drop not null',
    ]),
  'a check': (random) =>
    random.pick([
      'alter table item drop constraint low_level',
      'alter table item drop constraint known_state',
      'alter table item drop constraint low_level, add constraint low_level check (level < 2) not valid',
      'alter table label add constraint light check (weight < 2) not valid',
      'alter domain amount drop constraint amount_check',
      'alter domain amount add constraint small check (value < 1) not valid',
    ]),
  'a foreign key': (random) => {
    const [table, name, column, target] = random.pick([
      ['watcher', 'watcher_item_id_fkey', 'item_id', 'item'],
      ['watcher', 'watcher_team_id_fkey', 'team_id', 'team'],
      ['label', 'label_item_id_fkey', 'item_id', 'item'],
      ['item', 'item_owner_id_fkey', 'owner_id', 'person'],
      ['person', 'person_team_id_fkey', 'team_id', 'team'],
    ] as const);
    const action = random.pick([
      'drop',
      'on delete cascade',
      'on delete set null',
      'on update cascade',
      'not valid',
      'disabled',
    ]);
    if (action === 'disabled') return `alter table ${table} disable trigger all`;
    const drop = `alter table ${table} drop constraint ${name}`;
    return action === 'drop'
      ? drop
      : `${drop}, add constraint ${name} foreign key (${column}) references ${target} ${action}`;
  },
  'a unique index': (random) =>
    random.pick([
      'create unique index one_state on label (secret)',
      'create unique index one_item on item (tenant, level, id)',
      'alter table label drop constraint label_pkey',
      'create unique index one_name on person (lower(secret))',
    ]),
  'an index that calls': () =>
    `create function watch(text) returns text language plpgsql immutable as $$ begin if $1 like '%new' then raise 'refused'; end if; return $1; end $$; create index watched on label (watch(secret))`,
  'a policy': (random) =>
    random.pick([
      'alter policy seen on team using (tenant = 1)',
      'drop policy seen on team',
      'alter table team disable row level security',
      'alter policy seen on team to pg_monitor',
      'create policy more on team as restrictive using (id < 3)',
      'alter policy seen on team with check (tenant = 1)',
      'alter table item enable row level security',
      `alter table item enable row level security; create policy p on item using (${random.pick(CONDITIONS)})`,
      'alter table label enable row level security; create policy p on label for select using (true)',
      'alter policy seen on team using (exists (select from visible_item v where v.id = team.id))',
    ]),
  'who a view reads as': (random) =>
    random.pick([
      'alter table item enable row level security; alter view some_item set (security_invoker = true)',
      'alter view open_item set (security_invoker = true)',
      'alter function item_title(item) security definer; alter table team disable row level security',
    ]),
  'a privilege': (random, account) => {
    const table = random.pick(['item', 'person', 'label', 'team', 'open_item', 'log']);
    return `revoke ${random.pick(['select', 'insert', 'update', 'delete', 'all'])} on ${table} from ${account}`;
  },
  'a rewrite rule': (random) =>
    random.pick([
      'drop rule kept on label',
      'create rule kept2 as on update to label do also delete from watcher',
      'alter table label disable rule kept',
      `create rule kept3 as on insert to label where new.name = 'hot' do instead nothing`,
    ]),
  'a type': (random) =>
    random.pick([
      `alter type mood rename value 'good' to 'fine'`,
      `alter type mood rename value 'good' to 'x'; alter type mood rename value 'bad' to 'good'; alter type mood rename value 'x' to 'bad'`,
      'alter table label alter column weight type smallint',
      'alter table label alter column secret type varchar(20)',
      'alter table label alter column weight type bigint',
    ]),
  'a collation': () =>
    `create collation blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false); alter table person alter column name type text collate blind`,
  'an operator': (random) =>
    random.pick([
      `create function anything(text, text) returns boolean language sql immutable as $$ select true $$; create operator app.= (leftarg = text, rightarg = text, function = anything)`,
      `create function anything(varchar, varchar) returns boolean language sql immutable as $$ select true $$; create operator public.= (leftarg = varchar, rightarg = varchar, function = anything)`,
    ]),
  'a setting': (random, account) => {
    const setting = random.pick([
      'search_path to app, public',
      'row_security to off',
      'default_transaction_read_only to on',
      'transform_null_equals to on',
      'standard_conforming_strings to off',
      'session_replication_role to replica',
    ]);
    const whose = random.pick(['database %I', `role ${account.replaceAll("'", "''")} in database %I`]);
    return `do $$ begin execute format('alter ${whose} set ${setting}', current_database()); end $$`;
  },
  'a generated column': (random) =>
    `alter table item alter column shown set expression as (${random.pick(['secret', `'open'`, 'upper(state)', `case when level > 2 then 'open' else state end`])})`,
  'an owner': (random, account) =>
    random.pick([
      `alter view some_item owner to ${account}`,
      `alter view open_item owner to ${account}; revoke select on item from ${account}`,
      `alter table team owner to ${account}`,
      `alter table team owner to ${account}; alter table team force row level security`,
      `alter function stored_secret(item) security definer; alter function stored_secret(item) owner to ${account}`,
      `alter view visible_item owner to ${account}; alter table item enable row level security`,
    ]),
  'an identity': (random) =>
    random.pick([
      'alter table team alter column id add generated by default as identity (start with 50)',
      'alter table team alter column id add generated always as identity (start with 50)',
      'alter table log alter column id set generated always',
      'alter table log alter column id drop identity',
      'alter table item alter column tenant add generated by default as identity',
    ]),
  'a partition': (random) =>
    random.pick([
      'alter table app.hidden attach partition app.hidden_two for values in (2)',
      'alter table app.hidden detach partition app.hidden_one',
      'drop table app.hidden_one',
      'create table app.hidden_rest partition of app.hidden default; insert into app.hidden values (4, 9)',
    ]),
  'a domain': (random) =>
    random.pick([
      'create domain level as int check (value < 3); alter table label alter column weight type level using null',
      `create domain word as text check (value <> 'kept'); alter table person alter column secret type word`,
      `create domain name as text default 'other'; alter table person alter column name drop default, alter column name type public.name`,
      `create domain word as text; alter table team alter column secret type word`,
    ]),
  'names swapped': (random) =>
    random.pick([
      'alter view visible_item rename to x; alter view some_item rename to visible_item; alter view x rename to some_item',
      'alter function item_title(item) rename to x; alter function item_state(item) rename to item_title; alter function x(item) rename to item_state',
      'alter function all_items() rename to x; alter function open_items() rename to all_items; alter function x() rename to open_items',
      'alter function guard() rename to x; alter function note() rename to guard; alter function x() rename to note',
      `alter table item set schema app; create table public.item (like app.item including all); grant all on public.item to public`,
      'alter table watcher rename to x; create table watcher (like x including all)',
    ]),
  'an overload': (random) =>
    random.pick([
      `create function is_open(s varchar) returns boolean language sql immutable as $$ select true $$; create or replace view open_item as select id, tenant, owner_id, secret as title from some_item where is_open(shown::varchar)`,
      `create function is_listed(n bigint) returns boolean language sql stable as $$ select true $$`,
      `create function app.is_listed(n int) returns boolean language sql stable as $$ select true $$`,
      `create function app.min(text) returns text language sql as $$ select $1 $$`,
    ]),
  'how a function is called': (random) =>
    random.pick([
      'alter function is_open(text) strict',
      'alter function item_title(item) strict',
      'alter function is_listed(int) set search_path to public, app',
      'alter function is_listed(int) reset search_path',
      'alter function guard() security definer',
      'alter function first_name() volatile',
      'alter function open_items() security definer; alter table item enable row level security',
      `alter function all_items() set row_security to off; alter table item enable row level security`,
    ]),
  'an aggregate': (random) =>
    `create or replace function app.rate(int, int) returns int language sql immutable as $$ select ${random.pick(['-40', 'coalesce($1, 0)', '7'])} $$`,
  'a view to write through': (random) =>
    random.pick([
      `create function instead() returns trigger language plpgsql as $$ begin insert into log (what) values ('instead'); return new; end $$; create trigger instead instead of insert or update or delete on open_item for each row execute function instead()`,
      'alter table person rename to person_rows; create view person as select * from person_rows',
      'alter table label rename to label_rows; create view label as select * from label_rows where weight < 3 with check option',
      'alter table label rename to label_rows; create view label as select * from label_rows; create rule kept_all as on delete to label do instead nothing',
    ]),
  'a trigger of statements': (random) =>
    random.pick([
      `create function count_rows() returns trigger language plpgsql as $$ begin insert into log (what) select 'rows ' || count(*) from old_rows; return null; end $$; create trigger count_rows after delete on ${random.pick(['label', 'item', 'team'])} referencing old table as old_rows for each statement execute function count_rows()`,
      `create function empties() returns trigger language plpgsql as $$ begin delete from watcher; return null; end $$; create trigger empties after update on ${random.pick(['person', 'team'])} for each statement execute function empties()`,
      `create constraint trigger late after insert on team deferrable initially deferred for each row execute function note()`,
    ]),
  'an exclusion': (random) =>
    random.pick([
      'alter table label add constraint one_each exclude (secret with =)',
      'alter table person add constraint one_name exclude (name with =) where (active)',
    ]),
  'what an account is': (random, account) =>
    random.pick([
      `grant pg_monitor to ${account}`,
      `grant pg_read_all_data to ${account}; revoke select on item from ${account}`,
      `alter policy seen on team to pg_monitor; grant pg_monitor to ${account}`,
      `revoke usage on schema app from ${account}`,
      `revoke execute on function is_listed(int) from public`,
      `revoke execute on function all_items() from public`,
      `revoke select on item from ${account}; grant select (id, tenant) on item to ${account}`,
      `revoke update on label from ${account}; grant update (weight) on label to ${account}`,
      `revoke all on sequence weights from ${account}`,
    ]),
  'enum values': (random) =>
    random.pick([
      `alter type mood add value 'worse'`,
      `alter type mood add value 'worse' before 'good'`,
      `alter type mood rename to old_mood; create type mood as enum ('bad', 'good'); alter table person alter column mood type mood using mood::text::mood`,
      `alter type mood rename to old_mood; create type mood as enum ('good'); alter table person alter column mood type mood using 'good'`,
    ]),
  'a cast': (random) =>
    random.pick([
      `create function app.mood_of(text) returns mood language sql immutable as $$ select 'bad'::mood $$; create cast (text as mood) with function app.mood_of(text) as implicit`,
      `create function app.number_of(text) returns int language sql immutable as $$ select 1 $$; create cast (text as int) with function app.number_of(text) as assignment`,
      `create function app.text_of(mood) returns text language sql immutable as $$ select 'open' $$; create cast (mood as text) with function app.text_of(mood) as implicit`,
    ]),
  'a nullable key': () =>
    'alter table label drop constraint label_pkey; alter table label alter column name drop not null; create unique index label_pkey on label (item_id, name) nulls not distinct',
};

/** One change; some are neutral. */
export function randomCatalogChange(random: Random, account: string): CatalogChange {
  if (random.chance(0.2)) return { sql: random.pick(NEUTRAL), isNeutral: true };
  if (random.chance(0.06)) return { sql: random.pick([...SWAPS.map(swap), ...GONE]), movesValues: true };
  const sql = random.pick(Object.values(CHANGES))(random, account);
  return { sql, ...(EMPTIES.test(sql) && { movesValues: true }) };
}

/** The stored values of a column are replaced by one. */
const EMPTIES = / using (?:null|'good')$/;

function swap([table, one, other]: readonly [string, string, string]): string {
  return `alter table ${table} rename column ${one} to swapped; alter table ${table} rename column ${other} to ${one};
    alter table ${table} rename column swapped to ${other}`;
}
