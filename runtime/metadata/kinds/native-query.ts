/** Native queries: root fields over SQL of the project's own. */
import type { Located } from '../../core/json/json.ts';
import { DECLARED_SCHEMA } from '../../core/names.ts';
import type { TypeOf } from '../codec.ts';
import {
  extension,
  key,
  namesInside,
  object,
  optional,
  printedDefault,
  record,
  sorted,
  withDefault,
} from '../combinators.ts';
import { keyedEntries } from '../entries.ts';
import { boolean, graphqlName, oneOf, text } from '../values.ts';
import { rolePermissions } from './permission.ts';
import { nativeRelationships } from './relationship.ts';
import { comment } from './shared.ts';

const nativeArgument = object(
  {
    type: key('A type of PostgreSQL.', text),
    nullable: key('Whether it may be null or left out.', printedDefault(boolean, false)),
    description: key('Text for readers.', optional(text)),
  },
  { title: 'Argument of a native query' },
);

export const nativeQuery = object(
  {
    root_field_name: key('Name of the root field.', graphqlName),
    type: key(
      'Root type that gets the field. SQL that writes needs `mutation`, which is an extension.',
      printedDefault<'query' | 'mutation'>(oneOf('query', 'mutation'), 'query'),
    ),
    arguments: key(
      'Name → argument. `{{name}}` in the SQL stands for its value.',
      withDefault(sorted(record(nativeArgument)), {}),
    ),
    code: key(
      'One statement of SQL, which reads; that of a mutation may write. `!include FILE` takes the text of a file.',
      text,
    ),
    returns: key('Name of the logical model of its rows.', text),
    object_relationships: key('Fields with one row of a table or of a native query.', nativeRelationships),
    array_relationships: key('Fields with rows of a table or of a native query.', nativeRelationships),
    permissions: extension(
      'Of mutations: roles that may call it, besides the permission to read the rows of `returns`. Queries need that one only.',
      rolePermissions,
    ),
    comment,
    description: key('Older name of `comment`.', optional(text)),
  },
  { title: 'Native query' },
);

export type NativeQuery = TypeOf<typeof nativeQuery> & Located;

export const nativeQueries = keyedEntries(
  namesInside(nativeQuery, ({ returns }) => ({ table: { schema: DECLARED_SCHEMA, name: returns } })),
  { kind: 'native queries', key: ({ root_field_name }) => root_field_name },
);
