/** What most sequences begin with: without tables that refer to each other, and roles that see them, little can go wrong. */
import type { RandomRequest } from './random-operation.ts';

const ROLES = ['user', 'editor', 'visitor'];

const relationship = (kind: 'object' | 'array', table: string, name: string, on: string | object) => ({
  type: `pg_create_${kind}_relationship`,
  args: { table, name, using: { foreign_key_constraint_on: on } },
});

const permission = (operation: string, table: string, role: string, given: object) => ({
  type: `pg_create_${operation}_permission`,
  args: { table, role, permission: given },
});

/** Tracks tables, with relationships both ways and permissions of several roles. */
export const BEGINNING: RandomRequest = {
  endpoint: '/v1/metadata',
  body: {
    type: 'bulk',
    args: [
      ...['author', 'article', 'tag', 'article_tag'].map((table) => ({
        type: 'pg_track_table',
        args: { table },
      })),
      { type: 'pg_track_function', args: { function: 'search_article' } },
      relationship('object', 'article', 'author', 'author_id'),
      relationship('array', 'author', 'articles', {
        table: { schema: 'public', name: 'article' },
        column: 'author_id',
      }),
      {
        type: 'pg_add_computed_field',
        args: { table: 'author', name: 'label', definition: { function: 'author_label' } },
      },
      ...ROLES.flatMap((role) => [
        // A value of the session: with a written one, the column's type could not change.
        permission('select', 'author', role, {
          columns: ['id', 'name'],
          filter: { name: { _neq: `X-Engine-${role}` } },
        }),
        permission('select', 'article', role, {
          columns: ['id', 'title', 'author_id'],
          filter: { author: { name: { _eq: 'X-Engine-User-Id' } } },
        }),
      ]),
      permission('insert', 'article', 'user', {
        columns: ['title', 'author_id'],
        check: { author: { articles: { rating: { _gt: 3 } } } },
      }),
      permission('delete', 'article', 'user', { filter: { author: { id: { _eq: 1 } } } }),
    ],
  },
};
