/** The database of the random test of live queries, and the random ways in which it is written. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import {
  captureStatus,
  installCapture,
  installStatements,
  removeCapture,
  removeStatements,
} from '../../../runtime/database/record/install.ts';
import type { Random } from '../random.ts';

const SCHEMA = `
  create table item (id serial primary key, owner int not null, hidden boolean not null, word text not null default '');
  create index on item (owner);
  create table note (id serial primary key, item_id int not null references item on delete cascade, word text);
  create index on note (item_id);
  create view busy_item as select item.*, (select count(*) from note where note.item_id = item.id) as notes from item;
  create materialized view item_count as select owner as who, count(*) as items from item group by owner;
  create function items_of(o int) returns setof item language sql stable as 'select * from item where owner = o';
  create table tick (id int primary key, n int not null) partition by list (id);
  create table tick_1 partition of tick for values in (1);
  -- Takes long enough for a write during a read, now and then.
  create function crawl(n int) returns int immutable language plpgsql as
    'begin if n % 10 = 0 then perform pg_sleep(0.2); end if; return n; end';
  create view slow_tick as select id, crawl(n) as n from tick;
  -- Data make it fail, and well again.
  create view brittle as select id, owner, hidden, 1 / (case when word like 'y%7' then 0 else 1 end) as share from item;
  create table noise (id serial primary key);
  insert into tick values (1, 0);
  insert into item (owner, hidden, word) select i % 3, i % 2 = 0, 'w' || i from generate_series(1, 12) as i;
  insert into note (item_id, word) select i, 'n' || i from generate_series(1, 6) as i;
`;

const TABLES = ['item', 'note', 'tick'].map((name) => ({ schema: 'public', name }));

export class Writes {
  readonly #random: Random;
  readonly #writer: pg.Client;
  /** Commits while the writer's transaction is open. */
  readonly #other: pg.Client;
  /** A role with rights on the tables alone. */
  readonly #role: string;
  #tick = 0;
  /** Whether the last write was of a kind that a later one would hide. */
  isDelicate = false;
  /** Why a write failed: none may. */
  fault: string | undefined;

  constructor(url: string, random: Random) {
    this.#random = random;
    this.#writer = new pg.Client({ connectionString: url });
    this.#other = new pg.Client({ connectionString: url });
    this.#role = `${new URL(url).pathname.slice(1)}_writer`;
  }

  /** Nothing is recorded at first. */
  async open(): Promise<void> {
    await this.#writer.connect();
    await this.#other.connect();
    await this.#writer.query(SCHEMA);
    await this.#writer.query(
      `drop role if exists ${this.#role}; create role ${this.#role};
       grant all on all tables in schema public to ${this.#role}; grant all on all sequences in schema public to ${this.#role}`,
    );
  }

  async close(): Promise<void> {
    await this.#writer.query(`drop owned by ${this.#role}; drop role ${this.#role}`).catch(() => {});
    await this.#writer.end();
    await this.#other.end();
  }

  #install(): Promise<unknown> {
    return captureStatus(this.#writer, TABLES).then((tables) => installCapture(this.#writer, tables));
  }

  /** What is recorded of writes, and until when a server has announced that it listens. */
  async record(): Promise<string> {
    const sql = `select pg_current_snapshot()::text, now(), (select to_timestamp(last_value) from engine_catalog.live_until) as until,
      (select json_agg(c) from engine_catalog.live_changes as c) as changes`;
    const { rows } = await this.#writer.query(sql).catch((error: Error) => ({ rows: [error.message] }));
    return JSON.stringify([rows[0], await captureStatus(this.#writer, TABLES)]);
  }

  /** Ends idle connections of the server. */
  async loseConnections(share = 0.5): Promise<void> {
    await this.#writer.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'engine'
       and datname = current_database() and state = 'idle' and random() < $1`,
      [share],
    );
  }

  /** A write of one of many kinds, by SQL. */
  async write(): Promise<void> {
    const random = this.#random;
    const kind = random.below(9);
    this.isDelicate = kind < 6;
    switch (kind) {
      case 0:
        await this.#overlap();
        return;
      case 1:
        await this.#writeDuringRead();
        return;
      case 2:
        // Foreign keys are not checked meanwhile, so only what they do not concern.
        await this.#do(
          `set session_replication_role = replica; ${this.#update()}; reset session_replication_role`,
        );
        return;
      case 3:
        await this.#do(`set role ${this.#role}; ${this.sql()}; reset role`);
        return;
      case 4:
        await this.#do(this.#rare());
        return;
      case 5:
        await this.#do(`insert into item (owner, hidden) values (${random.below(3)}, false)`);
        // What follows from the insert has been read by then.
        await delay(300);
        await this.#do('refresh materialized view item_count');
        return;
      default:
        await this.#do('begin');
        await this.#do(this.sql());
        if (random.chance(0.5)) await delay(random.below(150));
        await this.#do(random.chance(0.9) ? 'commit' : 'rollback');
    }
  }

  /** A statement of a writer without special rights. */
  sql(): string {
    const random = this.#random;
    const id = random.between(1, 14);
    return random.pick([
      `insert into item (owner, hidden, word) values (${random.below(3)}, ${random.chance(0.5)}, 'x${this.#tick}')`,
      this.#update(),
      this.#update(),
      `delete from item where id = ${id} and id > 3`,
      `insert into note (item_id, word) select id, 'z${this.#tick}' from item where id = ${id}`,
      `delete from note where item_id = ${id}`,
      this.tick(),
    ]);
  }

  /** A GraphQL mutation. */
  mutation(): string {
    const random = this.#random;
    this.#next();
    const owner = random.below(3);
    return random.pick([
      `mutation { update_tick_by_pk(pk_columns: {id: 1}, _set: {n: ${this.#tick}}) { n } }`,
      `mutation { insert_item_one(object: {owner: ${owner}, hidden: false, word: "m", notes: {data: [{word: "q"}]}}) { id } }`,
      `mutation { update_item(where: {owner: {_eq: ${owner}}}, _set: {word: "m${this.#tick}"}) { affected_rows } }`,
      `mutation { delete_note(where: {item_id: {_eq: ${random.between(1, 14)}}}) { affected_rows } }`,
    ]);
  }

  tick(): string {
    return `update ${this.#random.pick(['tick', 'tick_1'])} set n = ${this.#next()}`;
  }

  /** Numbers that are read quickly. */
  #next(): number {
    this.#tick += 1;
    if (this.#tick % 10 === 0) this.#tick += 1;
    return this.#tick;
  }

  #update(): string {
    const random = this.#random;
    this.#next();
    const id = random.between(1, 14);
    return random.pick([
      `update item set owner = ${random.below(3)}, word = 'y${this.#tick}' where id = ${id}`,
      `update item set hidden = not hidden where id = ${id}`,
    ]);
  }

  /** What a table's owner does now and then. */
  #rare(): string {
    this.#next();
    const many = `insert into note (item_id, word) select 1, 'b${this.#tick}' from generate_series(1, 105) union all select id, 'b' from item`;
    return this.#random.pick([
      'truncate note',
      `alter table note alter column word type text using 'r${this.#tick}'`,
      // More rows than keys are recorded of.
      many,
      many,
      'delete from note where id % 3 = 0',
    ]);
  }

  /** The second write is made while the first one is being read. */
  async #writeDuringRead(): Promise<void> {
    this.#tick += 10 - (this.#tick % 10);
    await this.#do(`update tick set n = ${this.#tick}`);
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const { rows } = await this.#other.query(
        `select 1 from pg_stat_activity where datname = current_database() and application_name = 'engine'
         and state = 'active' and query like '%slow_tick%'`,
      );
      if (rows.length > 0) break;
      await delay(10);
    }
    await this.#do(this.tick());
  }

  /** A transaction that is open while another one begins and ends. */
  async #overlap(): Promise<void> {
    await this.#do('begin');
    await this.#do(this.sql());
    await this.#other.query('insert into noise default values');
    await delay(this.#random.between(20, 250));
    await this.#do('commit');
  }

  async #do(sql: string): Promise<void> {
    try {
      await this.#writer.query(sql);
    } catch (error) {
      this.fault ??= `a write failed: ${sql}: ${(error as Error).message}`;
    }
  }

  /** What is recorded of writes begins or ends, or has a hole. */
  async disturbCapture(): Promise<void> {
    const random = this.#random;
    if (random.chance(0.15)) return void (await this.#install());
    if (random.chance(0.08)) return void (await removeCapture(this.#writer));
    if (random.chance(0.1)) {
      // Nobody can see the record missing; nothing was announced to the new one.
      const tables = await captureStatus(this.#writer, TABLES);
      await this.#do([...removeStatements(tables), ...installStatements(tables)].join(';\n'));
      return;
    }
    const { rows } = await this.#writer.query(
      "select tgname from pg_trigger where tgrelid = 'item'::regclass and tgname like 'engine_live_%'",
    );
    if (rows.length === 0) {
      // A server that lost its connections looks at once whether writes are recorded.
      await this.#install();
      await this.loseConnections(1);
      return;
    }
    const enable = `alter table item ${rows.map(({ tgname }) => `enable always trigger ${tgname}`).join(', ')}`;
    this.isDelicate = true;
    const disable = 'alter table item disable trigger user';
    if (random.chance(0.5)) {
      // Nobody can see the triggers disabled.
      await this.#do(`${disable}; ${this.#update()}; ${enable}`);
      return;
    }
    await this.#do(disable);
    await this.#do(this.#update());
    await delay(random.below(150));
    if (random.chance(0.8)) await this.#do(enable);
  }
}
