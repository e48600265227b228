/** A view that Postgres would not write by itself: its triggers do, and the same in TypeScript. */
import type { Row } from '../queries/project.ts';
import {
  CHECK,
  deleteRows,
  insertRows,
  type State,
  StatementFailed,
  updateRows,
  type WrittenRow,
} from './state.ts';

/** Whoever signs up gets a number, and the team that he names, which is made if need be; without a nick nothing happens. */
export const signupSql = `
create view signup as select player.id, nick, n, team.name as team from player left join team on team.id = team_id;
create function write_signup() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from player where id = old.id;
    return old;
  elsif tg_op = 'UPDATE' then
    update player set nick = new.nick, n = new.n where id = old.id;
    new.id := old.id;
    new.team := old.team;
    return new;
  elsif new.nick is null then
    return null;
  end if;
  if new.team is not null then
    insert into team (name) values (new.team) on conflict (name) do nothing;
  end if;
  insert into player (nick, n, team_id) values (new.nick, coalesce(new.n, 2), (select id from team where name = new.team))
    returning id, n into new.id, new.n;
  return new;
end $$;
create trigger write_signup instead of insert or update or delete on signup for each row execute function write_signup();`;

/** What the view shows. */
export function signupRows(rows: Readonly<Record<string, readonly Row[]>>): Row[] {
  return (rows.player ?? []).map(({ id, nick, n, team_id }) => ({
    id: id!,
    nick: nick!,
    n: n!,
    team: rows.team!.find((team) => team.id === team_id)?.name ?? null,
  }));
}

/** Answer with the rows as their statements return them; `accepts` is the role's check, asked of each. */
export const signupTriggers = {
  /** undefined: the statement knows of no row. */
  insert(
    state: State,
    { nick = null, n = null, team = null }: Row,
    accepts: (row: WrittenRow) => boolean,
  ): Row | undefined {
    if (nick === null) return undefined;
    if (team !== null) insertRows(state, 'team', [{ name: team }], { key: ['name'] });
    const teamId = team === null ? null : state.rows.team!.find(({ name }) => name === team)!.id!;
    const [written] = insertRows(state, 'player', [{ nick, n: n ?? 2, team_id: teamId }]);
    const row = { id: written!.row.id!, nick, n: written!.row.n!, team };
    if (!accepts({ row, inserted: true })) throw new StatementFailed([CHECK]);
    return row;
  },
  update(state: State, change: (row: Row) => Row | undefined, accepts: (row: Row) => boolean): Row[] {
    const errors = new Set<string>();
    const changed = signupRows(state.rows).flatMap((old) => {
      const after = change(old);
      if (!after) return [];
      const { nick, n } = after;
      const row = { ...old, nick: nick!, n: n! };
      // PostgreSQL may have begun with this row, so its check counts also where another row was in its way here.
      if (!accepts(row)) errors.add(CHECK);
      try {
        updateRows(state, 'player', (each) =>
          each.id === old.id ? { ...each, nick: nick!, n: n! } : undefined,
        );
      } catch (error) {
        if (!(error instanceof StatementFailed)) throw error;
        for (const code of error.codes) errors.add(code);
      }
      return [row];
    });
    if (errors.size > 0) throw new StatementFailed(errors);
    return changed;
  },
  delete(state: State, chosen: (row: Row) => boolean, accepts: (row: Row) => boolean): Row[] {
    const removed = signupRows(state.rows).filter(chosen);
    const errors = new Set<string>();
    for (const row of removed) {
      if (!accepts(row)) errors.add(CHECK);
      try {
        deleteRows(state, 'player', ({ id }) => id === row.id);
      } catch (error) {
        if (!(error instanceof StatementFailed)) throw error;
        for (const code of error.codes) errors.add(code);
      }
    }
    if (errors.size > 0) throw new StatementFailed(errors);
    return removed;
  },
};
