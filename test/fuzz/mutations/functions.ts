/** Functions that write, tracked as mutations: in SQL, and the same in TypeScript. */
import type { Row } from '../queries/project.ts';
import type { TypeName, Value } from '../queries/types.ts';
import { insertRows, type State, updateRows } from './state.ts';

export interface WritingFunction {
  /** In order; those that have a default may be left out. */
  readonly arguments: readonly { readonly name: string; readonly type: TypeName; readonly default?: Value }[];
  /** Several rows, or the only one. */
  readonly set: boolean;
  /** The players that it answers with. */
  readonly run: (state: State, args: Readonly<Record<string, Value>>) => readonly Row[];
}

export const FUNCTIONS: Readonly<Record<string, WritingFunction>> = {
  recruit: {
    arguments: [
      { name: 'called', type: 'text' },
      { name: 'team', type: 'int4', default: null },
    ],
    set: true,
    run: (state, { called, team }) =>
      insertRows(state, 'player', [{ nick: called!, team_id: team! }]).map(({ row }) => row),
  },
  promote: {
    arguments: [
      { name: 'team', type: 'int4', default: null },
      { name: 'steps', type: 'int4', default: 1 },
    ],
    set: true,
    run: (state, { team, steps }) =>
      updateRows(state, 'player', (row) =>
        team === null || row.team_id === team
          ? { ...row, n: row.n === null || steps === null ? null : (row.n as number) + (steps as number) }
          : undefined,
      ),
  },
  found: {
    arguments: [{ name: 'called', type: 'text' }],
    set: true,
    run: (state, { called }) => {
      const [team] = insertRows(state, 'team', [{ name: called! }]);
      return updateRows(state, 'player', (row) =>
        row.team_id === null ? { ...row, team_id: team!.row.id! } : undefined,
      );
    },
  },
  rename: {
    arguments: [
      { name: 'player', type: 'int4' },
      { name: 'called', type: 'text' },
    ],
    set: false,
    run: (state, { player, called }) =>
      updateRows(state, 'player', (row) => (row.id === player ? { ...row, nick: called! } : undefined)),
  },
};

export const functionsSql = `
create function recruit(called text, team integer default null) returns setof player language sql as $$
  insert into player (nick, team_id) values (called, team) returning * $$;
create function promote(team integer default null, steps integer default 1) returns setof player language sql as $$
  update player set n = n + steps where promote.team is null or team_id = promote.team returning * $$;
create function found(called text) returns setof player language sql as $$
  with founded as (insert into team (name) values (called) returning id)
  update player set team_id = founded.id from founded where team_id is null returning player.* $$;
create function rename(player integer, called text) returns player language sql as $$
  update player set nick = called where id = rename.player returning * $$;`;
