/** Random changes of a database below the same metadata, as SQL on the schema of `world.ts`. */
import type { Random } from '../random.ts';

export interface CatalogChange {
  readonly sql: string;
  /** It changes nothing that a session reads or writes, whatever the rows. */
  readonly isNeutral?: true;
  /** Stored values have other names: rows to write cannot be told to be the same. */
  readonly movesValues?: true;
}

/** What both versions have: layers below what is tracked, so that a change may be far below. */
export const LAYERS = `
create function stored_secret(i item) returns text language plpgsql stable as $$ begin return i.secret; end $$;
create function is_open(s text) returns boolean language sql immutable as $$ select s = 'open' $$;
create view some_item as select * from item;
alter table item add column shown text generated always as (state) stored;
create or replace view open_item as select id, tenant, owner_id, secret as title from some_item where is_open(state);
create or replace function item_title(item) returns text language sql stable as $$ select stored_secret($1) $$;
create view visible_item as select * from item where level is not null;
create or replace function open_items() returns setof item language plpgsql stable as $$
  begin return query select i.* from item i where exists (select from visible_item v where v.id = i.id); end $$;
create table old_item (like item including generated);
`;

const STATES = [`s = 'open'`, `s = 'closed'`, `s <> 'open'`, 'true', 'false'];
const CONDITIONS = ['level is not null', `state = 'open'`, 'tenant = 1', 'true', 'owner_id is null'];
const SWAPS = [
  ['item', 'state', 'secret'],
  ['item', 'owner_id', 'reviewer_id'],
  ['person', 'name', 'secret'],
  ['team', 'name', 'secret'],
] as const;

/** One change; some are neutral. */
export function randomCatalogChange(random: Random): CatalogChange {
  const neutral = (sql: string): CatalogChange => ({ sql, isNeutral: true });
  const change = (sql: string): CatalogChange => ({ sql });
  switch (random.between(0, 15)) {
    case 0:
      return change(
        `create or replace function is_open(s text) returns boolean language sql immutable as $$ select ${random.pick(STATES)} $$`,
      );
    case 1:
      return change(`create or replace view some_item as select id, tenant, owner_id, reviewer_id, state, level, facts, secret from item
        where ${random.pick(CONDITIONS)}`);
    case 2:
      return change(
        `create or replace view open_item as select id, tenant, owner_id, ${random.pick(['secret', 'state', 'null::text'])} as title from some_item where is_open(state)`,
      );
    case 3:
      return change(
        `create or replace function stored_secret(i item) returns text language plpgsql stable as $$ begin return ${random.pick(['i.state', 'i.secret', '(select max(secret) from person)'])}; end $$`,
      );
    case 4:
      return change(
        `create or replace function item_state(item) returns text language sql stable as $$ select ${random.pick(['$1.secret', '$1.shown', 'null::text'])} $$`,
      );
    case 5:
      return change(
        `create or replace function item_peers(item) returns setof item language sql stable as $$ select * from item where ${random.pick(['owner_id = $1.owner_id', 'tenant = $1.tenant', 'false', 'id <> $1.id'])} $$`,
      );
    case 6:
      return change(
        `create or replace view visible_item as select id, tenant, owner_id, reviewer_id, state, level, facts, secret, shown from item where ${random.pick(CONDITIONS)}`,
      );
    case 7:
      return change(
        `create or replace function all_items() returns setof item language sql stable as $$ select * from item where ${random.pick(CONDITIONS)} $$`,
      );
    case 8: {
      const [table, one, other] = random.pick(SWAPS);
      const sql = `alter table ${table} rename column ${one} to swapped; alter table ${table} rename column ${other} to ${one};
        alter table ${table} rename column swapped to ${other}`;
      return { sql, movesValues: true };
    }
    case 9:
      return change(
        `insert into old_item (id, tenant, owner_id, state, secret) values (98, 1, 1, 'open', 'item-98-secret'), (99, 2, null, 'draft', 'item-99-secret'); alter table old_item inherit item`,
      );
    case 10:
      return change(
        `alter table person rename to person_rows; create view person as select id, tenant, team_id, mood, active, ${random.pick(['name', 'secret as name'])}, secret from person_rows where ${random.pick(['tenant = 1', 'true', 'active'])}`,
      );
    case 11:
      return change(`drop view open_item; create view open_item as select id, tenant, ${random.pick(['owner_id', 'reviewer_id as owner_id'])},
        shown as title from item`);
    case 12:
      return neutral(
        random.pick([
          'alter function item_title(item) cost 7',
          'alter function all_items() rows 17',
          'alter function item_peers(item) parallel safe',
          'alter function open_items() cost 3 rows 5',
        ]),
      );
    case 13:
      return neutral(
        random.pick([
          'create index on item (level)',
          `comment on column item.secret is 'kept'`,
          'alter table item alter column state set statistics 500',
          'create table unrelated (id int primary key); create view unrelated_ids as select id from unrelated',
          'alter table label set (fillfactor = 70)',
          'create function unrelated_count() returns int language sql as $$ select 1 $$',
          'alter table old_item add column later int',
        ]),
      );
    case 14:
      return neutral(
        `create or replace function is_open(s text) returns boolean language sql immutable as $$ select s = 'open' $$`,
      );
    default:
      return neutral(
        'create or replace view some_item as select id, tenant, owner_id, reviewer_id, state, level, facts, secret from item',
      );
  }
}
