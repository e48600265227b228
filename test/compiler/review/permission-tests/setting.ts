/** The project of the tests of permission tests: tasks of teams, and one rule of the role `user`. */
import { metadataOf } from '../../../harness/metadata.ts';

export const SCHEMA = `
  create table team (id int primary key, name text not null);
  create table task (id int primary key, owner int, team_id int references team, mail text, public boolean not null);
`;
export const ROWS = `
  insert into team values (1, 'one'), (2, 'two');
  insert into task values (1, 10, 1, 'a', true), (2, 10, 2, 'b', false), (3, 20, 2, 'c', true), (4, 20, 1, 'a', false), (5, null, 1, null, true);
`;

export const OWN = { owner: 'X-Engine-User-Id' };

export function metadata(filter: object, more: object = {}): object {
  return metadataOf(
    [
      {
        table: 'task',
        object_relationships: [{ name: 'team', using: { foreign_key_constraint_on: 'team_id' } }],
        select_permissions: [{ role: 'user', permission: { columns: ['id'], filter } }],
        ...more,
      },
      { table: 'team' },
    ],
    {},
    'postgres://localhost/none',
  );
}
